/** `bnerd trust`: lists, shows, approves and revokes files and places; the files of `trust/` do the work of each form. */

import { resolveConfig } from '../../config/config.js';
import { openTrustDesk } from '../../runtime/trust/trust-desk.js';
import { hasErrors } from '../../shared/findings.js';
import { openHouse } from '../build-house.js';
import type { Call } from '../call.js';
import { refuse, writeFindings } from '../refusal.js';
import { refusalBelowTool } from '../tool-process.js';
import { decideFile } from '../trust/decide-file.js';
import { approvePlace, listFiles, revoke } from '../trust/trust-forms.js';
import { trustOrder } from '../trust/trust-order.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const { workingDirectory } = program;
  const order = trustOrder(call);
  if (order.form === 'refused') return refuse(program, [order.finding]);
  if (order.form !== 'list') {
    const below = refusalBelowTool(program, 'bnerd trust');
    if (below !== null) return refuse(program, [below]);
  }
  const config = await resolveConfig(layers, { needs: 'catalogue', workingDirectory });
  if (config.kind === 'refused') return refuse(program, config.findings);
  const house = await openHouse(call, config.value, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const desk = await openTrustDesk(house.value, config.value.trustFiles);
  const findings = await desk.trust.findings();
  if (hasErrors(findings)) return refuse(program, findings);
  writeFindings(program, findings);
  switch (order.form) {
    case 'list':
      return listFiles(program, desk, order);
    case 'file':
      return decideFile(program, desk, order);
    case 'place':
      return approvePlace(program, desk, order);
    case 'revoke-file':
    case 'revoke-place':
      return revoke(program, desk, order);
  }
}

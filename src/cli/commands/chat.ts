/** `bnerd chat`: a conversation with one agent; nothing of it is kept. */

import { resolveChatConfig } from '../../config/chat-config.js';
import { resolveConfig } from '../../config/config.js';
import { prepareChat } from '../../runtime/chat/prepare-chat.js';
import type { House } from '../../runtime/house.js';
import { UserError } from '../../shared/errors.js';
import { openHouse } from '../build-house.js';
import type { Call } from '../call.js';
import { driveChat } from '../chat/drive-chat.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const { workingDirectory } = program;
  const config = await resolveConfig(layers, { needs: 'catalogue', workingDirectory });
  const order = resolveChatConfig(layers);
  if (config.kind === 'refused' || order.kind === 'refused') {
    return refuse(
      program,
      [config, order].flatMap((one) => (one.kind === 'refused' ? one.findings : [])),
    );
  }
  const { settings } = config.value;
  const house = await openHouse(call, config.value, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const reopen = async (): Promise<House> => {
    const again = await openHouse(call, config.value, 'catalogue');
    if (again.kind === 'resolved') return again.value;
    throw new UserError('places-refused', again.findings[0]?.message ?? 'the places cannot be opened');
  };
  const prepared = await prepareChat(house.value, order.value, reopen);
  if (prepared.kind === 'refused') return refuse(program, prepared.findings);
  writeFindings(program, [...settings.findings, ...prepared.findings]);
  return driveChat(program, prepared.basis);
}

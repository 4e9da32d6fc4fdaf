/** `bnerd keys list`: exit 1 when something in the folder cannot be used. */

import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { keyFolderOf } from '../keys.js';
import { refuse } from '../refusal.js';
import { columns } from '../texts/columns.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const folder = await keyFolderOf(call);
  if (folder.kind === 'refused') return refuse(program, folder.findings);
  const { keys, problems } = await folder.value.list();
  const { results, notes } = program.output;
  if (isGiven(call, 'json')) results.write(jsonDocument({ keys, problems }));
  else {
    const rows = keys.map(({ kind, id, role, name, at, retiredAt }) => [
      ...[id, role, name ?? '(own)', `${kind === 'own' ? 'made' : 'accepted'} ${at}`],
      retiredAt === null ? '' : `retired ${retiredAt}`,
    ]);
    results.write(columns(rows));
    if (rows.length === 0) notes.write('no keys; "bnerd keys init --role <role>" makes one\n');
  }
  for (const problem of problems) notes.write(`${oneLine(problem, 500)}\n`);
  return problems.length === 0 ? 0 : 1;
}

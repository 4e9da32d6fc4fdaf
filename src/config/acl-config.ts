/**
 * What `bnerd doctor --acl` is given: for which servers its rules are, and where the passwords of the users stand. A password
 * is read from a file alone, of which every line is `<role> <password>`: it stands neither in a command line nor in a rule.
 */

import { readFile } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';
import { readChoice, ValueReader } from './values.js';
import { badValue, type Layers, type Resolved, type Written } from './written.js';

export const ACL_FORMS = ['6.2', '7'] as const;

export interface AclConfig<Role extends string> {
  readonly form: (typeof ACL_FORMS)[number];
  readonly passwords: ReadonlyMap<Role, string>;
}

const FORM = 'file:<path>, whose lines are <role> <password>';

/** The longest line of a password is an accident, the shortest a guess. */
const LEAST = 16;

/** Null: rules are not asked for. @param roles what a line may begin with */
export async function resolveAclConfig<Role extends string>(
  layers: Layers,
  roles: readonly Role[],
): Promise<Resolved<AclConfig<Role> | null>> {
  const reader = new ValueReader();
  const typed = (flag: string): Written | undefined => {
    const text = layers.flags.get(flag)?.at(-1);
    return text === undefined ? undefined : { text, place: `--${flag}` };
  };
  const acl = typed('acl');
  const file = typed('acl-passwords');
  if (acl === undefined) {
    if (file === undefined) return { kind: 'resolved', value: null };
    return { kind: 'refused', findings: [badValue(file, 'with --acl alone', 'add --acl')] };
  }
  const form = reader.valueOr<AclConfig<Role>['form']>(acl, '7', (written) => readChoice(written, ACL_FORMS));
  const passwords = file === undefined ? new Map<Role, string>() : await passwordsOf(file, roles);
  if (!(passwords instanceof Map)) return { kind: 'refused', findings: [...reader.findings, passwords] };
  if (reader.findings.length > 0) return { kind: 'refused', findings: reader.findings };
  return { kind: 'resolved', value: { form, passwords } };
}

/** No finding holds anything of the file but the number of a line. */
async function passwordsOf<Role extends string>(
  written: Written,
  roles: readonly Role[],
): Promise<Map<Role, string> | ReturnType<typeof badValue>> {
  const path = written.text.startsWith('file:') ? written.text.slice('file:'.length) : '';
  if (path === '') return badValue({ ...written, text: '…' }, FORM, 'put the passwords into a file');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return badValue(written, FORM, `the file cannot be read: ${systemCode(error) ?? 'failed'}`);
  }
  const found = new Map<Role, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, word = '', password = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(line) ?? [];
    const role = roles.find((one) => one === word);
    if (role === undefined || found.has(role) || password.length < LEAST) {
      const allowed = `${roles.join(', ')}, each once, and a password of ${LEAST} characters or more without a blank`;
      return badValue(written, `${FORM}: ${allowed}`, `correct line ${at + 1}`);
    }
    found.set(role, password);
  }
  return found;
}

/**
 * Files that file and git tools refuse by default, since they usually hold secrets (spec/team.md §2): the one
 * table, over the path below a root. Names are compared folded, so that no spelling that a file system takes for
 * the same name gets past it.
 */

import { foldName } from './fold-name.js';

export type SecretVerdict =
  /** `what` it holds, for the refusal. */
  | { readonly kind: 'secret'; readonly what: string }
  /** Secret when it holds a private key: certificates have the same names. */
  | { readonly kind: 'by-content'; readonly what: string }
  | { readonly kind: 'plain' };

interface Row {
  readonly what: string;
  /** Over the folded path, with a slash before every name. */
  readonly path: RegExp;
  readonly except?: RegExp;
  readonly byContent?: true;
}

const TABLE: readonly Row[] = [
  {
    what: 'environment file',
    path: /\/\.env[^/]*$/,
    except: /[._-](example|sample|template|dist)([._-][^/]*)?$/,
  },
  { what: 'environment file', path: /\/env~\d[^/]*$/ }, // its short name on Windows drives
  { what: 'environment file', path: /[^/]\.env$/, except: /(example|sample|template|dist)[^/]*$/ },
  { what: 'private key', path: /\/([^/]*[._-])?id_(rsa|dsa|ecdsa|ed25519|xmss)[^/]*$/, except: /\.pub$/ },
  { what: 'private key', path: /\/ssh_host_[^/]+_key$/ },
  { what: 'private key', path: /\/\.ssh\//, except: /(\.pub|\/known_hosts(\.old)?|\/\.ssh\/config)$/ },
  { what: 'private key', path: /\/\.gnupg\// },
  { what: 'key store', path: /\.(p12|pfx|jks|keystore|ppk|kdbx?|p8|pk8)$/ },
  { what: 'private key', path: /\/(master|credentials\/[^/]+)\.key$/ }, // of Rails: no PEM
  { what: 'private key', path: /\.(pem|key|asc|gpg|ovpn)$/, byContent: true },
  {
    what: 'credentials',
    path: /\/\.(npmrc|pypirc|netrc|pgpass|my\.cnf|htpasswd|git-credentials|dockercfg)$/,
  },
  { what: 'credentials', path: /\/(_netrc|\.vault-token|\.terraformrc|credentials\.tfrc\.json)$/ },
  { what: 'credentials', path: /\/\.(aws|azure|oci|password-store)\// },
  { what: 'credentials', path: /\/\.?credentials(\.(json|ya?ml|toml|ini|csv))?$/ },
  { what: 'credentials', path: /\/(client_secret|service[_-]?account)[^/]*\.json$/ },
  { what: 'credentials', path: /\/\.(authinfo|mylogin\.cnf|s3cfg|boto|databrickscfg|claude\.json)$/ },
  {
    what: 'credentials',
    path: /\/(\.(codex|composer)\/auth\.json|\.gemini\/oauth_creds\.json|rclone\.conf)$/,
  },
  { what: 'history of commands', path: /\/\.\w*history$/ },
  { what: 'state of terraform', path: /\.tfstate(\.backup)?$/ }, // it holds every password in plain text
  { what: 'credentials', path: /\/\.docker\/config\.json$/ },
  { what: 'credentials', path: /\/(kubeconfig|\.kube\/[^/]+)$/ },
  {
    what: 'credentials',
    path: /\/\.config\/(gcloud\/.+|gh\/hosts\.yml|git\/credentials|containers\/auth\.json)$/,
  },
  { what: 'credentials', path: /\/(gcloud|google)?[^/]*application_default_credentials\.json$/ },
  { what: 'credentials', path: /\/\.(cargo\/credentials(\.toml)?|gem\/credentials|m2\/settings\.xml)$/ },
  // Remote addresses in it may hold a password.
  { what: 'git configuration', path: /\/\.git\/(.*\/)?config(\.worktree)?$/ },
  { what: 'configuration of bnerd', path: /\/\.bnerd\.ya?ml$/ },
  // Signing keys of the operator, of a run's team, and of runners, wherever their folders lie.
  { what: 'keys of bnerd', path: /\/keys\/(worker|own\/[0-9a-f]{16})\.json$/ },
  { what: 'keys of bnerd', path: /\/(runner|\.bnerd\/.+)\/identity\.json$/ },
];

/** What the table says of a path below a root. */
export function secretVerdict(segments: readonly string[]): SecretVerdict {
  const path = segments.map((segment) => `/${foldName(segment)}`).join('');
  for (const row of TABLE) {
    if (!row.path.test(path) || row.except?.test(path) === true) continue;
    return { kind: row.byContent === true ? 'by-content' : 'secret', what: row.what };
  }
  return { kind: 'plain' };
}

/** Whether bytes hold a private key in PEM form. */
export function holdsPrivateKey(bytes: Uint8Array): boolean {
  return /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/.test(Buffer.from(bytes).toString('latin1'));
}

/** The sentence that refuses a secret file. */
export function secretText(shown: string, what: string): string {
  return (
    `${shown} is refused: by its name or content it is a file with secrets (${what}); ` +
    'allowed are other files, examples and templates among them (.env.example)'
  );
}

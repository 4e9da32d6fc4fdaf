/** How a hardened git speaks to another repository: over a network, or to one of this machine. */

const SETTINGS: readonly string[] = [
  'protocol.version=2',
  'http.followRedirects=false',
  'http.sslVerify=true',
  'http.emptyAuth=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'transfer.bundleURI=false',
  'fetch.uriProtocols=',
  'fetch.writeCommitGraph=false',
];

/** Options in front of the subcommand: no redirect, nothing from a third place, a line that is too slow is given up. */
export const TRANSPORT_OPTIONS: readonly string[] = SETTINGS.flatMap((setting) => ['-c', setting]);

/**
 * For a repository of this machine git starts its other half there and takes our settings away from it, so they are said
 * once more: nothing that the configuration over there names is run, and whoever owns it, it may be read. It gives a
 * commit by its name, whether or not a branch stands on it.
 */
const THERE: readonly string[] = [
  'safe.directory=*',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=false',
  'protocol.allow=never',
  'uploadpack.allowAnySHA1InWant=true',
  'receive.autogc=false',
  'gc.auto=0',
  'maintenance.auto=false',
];

function otherHalf(program: 'upload-pack' | 'receive-pack'): string {
  return ['git', ...THERE.map((setting) => `-c '${setting}'`), program].join(' ');
}

/** Of a `fetch` from a repository of this machine. */
export const LOCAL_FETCH_OPTIONS: readonly string[] = [`--upload-pack=${otherHalf('upload-pack')}`];

/** Of a `push` to a repository of this machine. */
export const LOCAL_PUSH_OPTIONS: readonly string[] = [`--receive-pack=${otherHalf('receive-pack')}`];

/**
 * What a runner is given: flags, `BNERD_RUNNER_…` variables and the section `runner` of the settings file, resolved to
 * values with every default set (spec/runner.md §3 "Configuration"). What it may do beyond them, no brief can say.
 */

import { hostname } from 'node:os';
import { SAFETY_MODES } from './run-config.js';
import type { Settings, SettingsRunner } from './settings.js';
import { ENGINEER_KINDS } from './settings-keys.js';
import {
  type Reading,
  readBytes,
  readChoice,
  readCount,
  readDuration,
  readYesNo,
  ValueReader,
} from './values.js';
import {
  badValue,
  type Layers,
  type Resolved,
  RUNNER_VARIABLES,
  type Written,
  writtenPath,
  writtenValues,
} from './written.js';

export interface EngineerConfig {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly projectSettings: boolean;
}

export interface RunnerConfig {
  /** Absolute; null: nobody has said where. */
  readonly workdir: string | null;
  /** For an identity that is made now. */
  readonly name: string;
  readonly pool: string | null;
  readonly labels: readonly string[];
  readonly repos: readonly string[];
  readonly maxSafety: (typeof SAFETY_MODES)[number];
  readonly engineers: ReadonlyMap<string, EngineerConfig>;
  readonly engineerWrap: readonly string[];
  /** Names of variables, with their values where they are set. */
  readonly envGrants: Readonly<Record<string, string>>;
  readonly gitEnv: Readonly<Record<string, string>>;
  readonly keepFailedMs: number;
  /** Briefs at once, of a runner that stands. */
  readonly concurrency: number;
  /** What runs gets when a runner that stands is told to stop, in milliseconds. */
  readonly graceMs: number;
  /** The engineers of a runner off this machine may run as its own user: the machine is disposable. */
  readonly sameUser: boolean;
  readonly minFreeBytes: number;
  /** Names of entries that every engineer gets here, as written; '' for none. */
  readonly engineerSkills: string;
}

/** The programs that are looked for where nobody says which. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  gemini: 'gemini',
  acp: '',
  command: '',
};

const KEEP_FAILED_MS = 7 * 24 * 3_600_000;
const GRACE_MS = 5_000;
const MIN_FREE_BYTES = 500_000_000;

/** @param workingDirectory for paths that are relative */
export function resolveRunnerConfig(
  layers: Layers,
  settings: Settings,
  workingDirectory: string,
): Resolved<RunnerConfig> {
  const { environment } = layers;
  const reader = new ValueReader();
  const all = (flag: string): readonly Written[] => {
    const written = writtenValues(layers, flag, RUNNER_VARIABLES);
    return written.length > 0 ? written : (settings.runner.written.get(flag) ?? []);
  };
  const texts = (flag: string): readonly string[] => all(flag).map(({ text }) => text.trim());
  const last = (flag: string): Written | undefined => all(flag).at(-1);
  const workdir = last('workdir');
  const engineers = engineersOf(all('engineer'), settings.runner, reader);
  const value: RunnerConfig = {
    workdir: workdir === undefined ? null : writtenPath(workdir, environment.home, workingDirectory),
    name: nameOfMachine(hostname()),
    pool: poolOf(last('pool')),
    labels: texts('labels'),
    repos: texts('repos'),
    maxSafety: reader.valueOr<RunnerConfig['maxSafety']>(last('max-safety'), 'non-destructive', (written) =>
      readChoice(written, SAFETY_MODES),
    ),
    engineers,
    engineerWrap: all('engineer-wrap').map(({ text }) => text),
    envGrants: Object.fromEntries(environment.named(grantsOf(all('env-grants'), reader))),
    gitEnv: Object.fromEntries(environment.named(texts('git-env'))),
    concurrency: reader.valueOr(last('concurrency'), 1, (written) => readCount(written, 1, 100)),
    graceMs: reader.valueOr(last('grace'), GRACE_MS, (written) => readDuration(written, 0)),
    sameUser: reader.valueOr(last('same-user'), false, readYesNo),
    keepFailedMs: reader.valueOr(last('keep-failed'), KEEP_FAILED_MS, (written) => readDuration(written, 0)),
    minFreeBytes: reader.valueOr(last('min-free'), MIN_FREE_BYTES, readBytes),
    engineerSkills:
      environment.variables.get('BNERD_RUNNER_ENGINEER_SKILLS') ??
      environment.variables.get('BLOOM_RUNNER_ENGINEER_SKILLS') ??
      '',
  };
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

/** What an engineer has of its own is not granted: it would be without effect. */
const OWN: readonly string[] = ['HOME', 'TMPDIR'];

function grantsOf(written: readonly Written[], reader: ValueReader): readonly string[] {
  return written.flatMap((one) => {
    const name = one.text.trim();
    if (!OWN.includes(name)) return [name];
    const allowed = `every variable but ${OWN.join(' and ')}: an engineer has folders of its own for these`;
    const remedy =
      'leave it out; what an engineer needs from your home, give it by a variable of its program';
    reader.valueOr(one, null, (found) => ({ kind: 'refused', finding: badValue(found, allowed, remedy) }));
    return [];
  });
}

/** Those that were named, with their programs; all that there are adapters for where none was. */
function engineersOf(
  named: readonly Written[],
  { engineers }: SettingsRunner,
  reader: ValueReader,
): RunnerConfig['engineers'] {
  const configured = (kind: string, path: string | null): [string, EngineerConfig] => {
    const said = engineers.get(kind) ?? { path: null, args: [], env: {}, projectSettings: false };
    return [kind, { ...said, path: path ?? said.path ?? PROGRAMS[kind] ?? '' }];
  };
  if (named.length > 0)
    return new Map(
      named.flatMap((written) => {
        const read = reader.valueOr<readonly [string, string | null] | null>(written, null, readEngineer);
        return read === null ? [] : [configured(read[0], read[1])];
      }),
    );
  const kinds =
    engineers.size > 0 ? [...engineers.keys()] : ENGINEER_KINDS.filter((kind) => PROGRAMS[kind] !== '');
  return new Map(kinds.map((kind) => configured(kind, null)));
}

/** `<kind>` or `<kind>=<path>`. */
function readEngineer(written: Written): Reading<readonly [string, string | null]> {
  const [kind = '', ...rest] = written.text.trim().split('=');
  const known = ENGINEER_KINDS.find((each) => each === kind);
  if (known !== undefined) return { kind: 'read', value: [known, rest.length === 0 ? null : rest.join('=')] };
  const allowed = `<kind> or <kind>=<program>, the kind one of ${ENGINEER_KINDS.join(', ')}`;
  return {
    kind: 'refused',
    finding: badValue(written, allowed, 'write for example claude-code=/usr/bin/claude'),
  };
}

/** `none` says that there is none, whatever else is written: so the runner of a team is one without a pool. */
function poolOf(written: Written | undefined): string | null {
  const text = written?.text.trim() ?? 'none';
  return text === 'none' ? null : text;
}

/** The name of the machine as the name of a runner may be. */
function nameOfMachine(host: string): string {
  return (
    (host.split('.')[0] ?? '')
      .replace(/[^A-Za-z0-9_-]/g, '-')
      .replace(/^[-_]+/, '')
      .slice(0, 60) || 'runner'
  );
}

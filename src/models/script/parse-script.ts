/** From the text of a script file to the working shape, or to findings with their lines. */

import { type Finding, hasErrors } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { oneLine } from '../../shared/terminal-text.js';
import { compilePattern, isCaptureName, type Pattern } from './pattern.js';
import {
  BUILTIN_CAPTURES,
  type Capture,
  type Part,
  type Script,
  type ScriptTurn,
  type Step,
} from './script.js';
import { parseWritten, placeText, type WrittenScript, type WrittenStep } from './written-script.js';
import { parseYaml } from './yaml-source.js';

export type ParsedScript =
  | { readonly kind: 'parsed'; readonly script: Script }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Parses and compiles a script. Refuses what cannot be played at all; what can be played but would not come out
 * right is the matter of `checkScript`.
 * @param path the file as the user would type it, for findings
 */
export function parseScript(text: string, path: string): ParsedScript {
  const source = parseYaml(text, path);
  if (source.findings.length > 0) return { kind: 'refused', findings: source.findings };
  const written = parseWritten(source, path);
  if (!isScript(written)) return { kind: 'refused', findings: written };
  const compiler = new Compiler(path, source.lineOf);
  const script = compiler.script(written);
  if (hasErrors(compiler.findings)) return { kind: 'refused', findings: compiler.findings };
  return { kind: 'parsed', script };
}

function isScript(written: WrittenScript | readonly Finding[]): written is WrittenScript {
  return !Array.isArray(written);
}

type Places = readonly PropertyKey[];

/** Compiles the parts of one file and gathers findings as it goes. */
class Compiler {
  readonly findings: Finding[] = [];
  readonly #path: string;
  readonly #lineOf: (places: Places) => number;

  constructor(path: string, lineOf: (places: Places) => number) {
    this.#path = path;
    this.#lineOf = lineOf;
  }

  script(written: WrittenScript): Script {
    const parts = new Map<string, Part>();
    for (const [role, part] of Object.entries(written.roles)) {
      const places = ['roles', role];
      const twin = parts.get(roleIdentity(role));
      if (twin !== undefined) {
        const message = `${placeText(places)}: the same role as "${twin.role}" on line ${twin.line}`;
        this.#remark('duplicate-role', places, message, 'keep one part per role');
        continue;
      }
      const turns = part.turns.map((turn, index): ScriptTurn => {
        const at = [...places, 'turns', index];
        return {
          name: turn.name ?? null,
          line: this.#lineOf(at),
          place: placeText(at),
          await: this.#patterns(turn.await ?? [], [...at, 'await']),
          steps: turn.steps.map((step, position) => this.#step(step, [...at, 'steps', position])),
        };
      });
      parts.set(roleIdentity(role), { role, line: this.#lineOf(places), idle: part.idle ?? null, turns });
    }
    return { path: this.#path, parts };
  }

  #step(written: WrittenStep, places: Places): Step {
    const step: Step = {
      line: this.#lineOf(places),
      place: placeText(places),
      when: this.#patterns(written.when ?? [], [...places, 'when']),
      expect: this.#patterns(written.expect ?? [], [...places, 'expect']),
      capture: this.#captures(written.capture ?? {}, [...places, 'capture']),
      text: written.text ?? '',
      calls: written.calls ?? [],
      delayMs: written.delay_ms ?? 0,
      ...this.#failures(written.fail, [...places, 'fail']),
    };
    if (step.failure !== null && (step.text !== '' || step.calls.length > 0)) {
      const message = `${step.place}: "fail" stands in place of an answer, but there is one`;
      this.#remark('bad-value', [...places, 'fail'], message, 'remove "text" and "calls", or "fail"');
    }
    if (step.failure === null && step.text.trim() === '' && step.calls.length === 0) {
      const message = `${step.place}: the step says nothing; allowed: "text", "calls" or "fail"`;
      this.#remark('empty-step', places, message, 'give it a text or calls');
    }
    return step;
  }

  /** A failure that stays needs a code; one that passes has none, and the step is said after it. */
  #failures(written: WrittenStep['fail'], places: Places): Pick<Step, 'failure' | 'passing'> {
    if (written === undefined) return { failure: null, passing: null };
    const { kind, code, message, retry_after_ms: retryAfterMs, times } = written;
    const misplaced = kind === 'fatal' ? { retry_after_ms: retryAfterMs, times } : { code };
    for (const [key, value] of Object.entries(misplaced)) {
      if (value === undefined) continue;
      const text = `${placeText(places)}: "${key}" says nothing of a failure of kind ${kind}`;
      this.#remark('bad-value', [...places, key], text, `remove "${key}", or change the kind`);
    }
    if (kind !== 'fatal') {
      return {
        failure: null,
        passing: { kind, message, retryAfterMs: retryAfterMs ?? null, times: times ?? 1 },
      };
    }
    if (code === undefined) {
      const text = `${placeText([...places, 'code'])} is missing; allowed: a kebab-case code`;
      this.#remark('missing-field', [...places, 'code'], text, 'add it');
    }
    return { failure: { code: code ?? '', message }, passing: null };
  }

  #captures(written: NonNullable<WrittenStep['capture']>, places: Places): Capture[] {
    return Object.entries(written).flatMap(([name, { match, default: fallback }]): Capture[] => {
      const at = [...places, name];
      if (!isCaptureName(name) || BUILTIN_CAPTURES.includes(name)) {
        const message =
          `${placeText(places)}: "${oneLine(name, 40)}" cannot be captured; allowed: letters, digits, "-" and ` +
          `"_", not ${BUILTIN_CAPTURES.join(', ')}`;
        this.#remark('bad-capture-name', at, message, 'choose another name');
        return [];
      }
      const compiled = this.#pattern(match, at);
      if (compiled === undefined) return [];
      if (compiled.groups !== 1) {
        const message = `${placeText(at)}: /${oneLine(match, 80)}/ has ${compiled.groups} groups; allowed: one`;
        this.#remark('capture-groups', at, message, 'put ( ) around what to keep and (?: ) around the rest');
        return [];
      }
      return [{ name, pattern: compiled.pattern, fallback: fallback ?? null }];
    });
  }

  #patterns(sources: readonly string[], places: Places): Pattern[] {
    return sources.flatMap((source, index) => {
      const at = sources.length === 1 ? places : [...places, index];
      const compiled = this.#pattern(source, at);
      return compiled === undefined ? [] : [compiled.pattern];
    });
  }

  #pattern(source: string, places: Places): { pattern: Pattern; groups: number } | undefined {
    const compiled = compilePattern(source);
    if (compiled.kind === 'compiled') return compiled;
    const message = `${placeText(places)}: ${oneLine(compiled.reason)}; allowed: JavaScript regexes with the flags m and u`;
    this.#remark('bad-regex', places, message, 'mend the regex; a literal sign needs "\\" before it');
    return undefined;
  }

  #remark(code: string, places: Places, message: string, remedy: string): void {
    this.findings.push({
      code,
      severity: 'error',
      path: this.#path,
      line: this.#lineOf(places),
      message,
      remedy,
    });
  }
}

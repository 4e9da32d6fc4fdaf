import { describe, expect, test } from 'vitest';
import type { ActiveEntry, Session, Why } from '../../src/chat/session.js';
import { outsideScope, scopeHas, toolScope } from '../../src/chat/tool-scope.js';
import { shellMatter } from '../helpers/shell-lines.js';
import { anEntry } from '../skills/entries.js';

function session(...active: readonly (readonly [why: Why, allowed: readonly string[] | null])[]): Session {
  const entries = active.map(([why, allowedTools], at): [string, ActiveEntry] => {
    const entry = anEntry({ name: `e${at}`, allowedTools });
    return [entry.name, { entry, why }];
  });
  return { active: new Map(entries), unloaded: new Set() };
}

function names(of: Session, provided: readonly string[] = []): readonly string[] | null {
  const scope = toolScope(of, new Set(provided));
  return scope === null ? null : [...scope.names].sort();
}

describe('the tools that the entries of a session allow', () => {
  test('none declared: no restriction', () => {
    expect(names(session(['always-on', null], ['manual', null]))).toBeNull();
  });

  test('an empty declaration allows nothing', () => {
    expect(names(session(['always-on', []]))).toEqual([]);
  });

  test('what the session began with says it together', () => {
    const both = session(['always-on', ['Read']], ['role', ['Grep', 'fs_list']], ['role', null]);
    expect(names(both)).toEqual(['fs_grep', 'fs_list', 'fs_read_file']);
  });

  test.each(['keyword', 'manual', 'model'] as const)('what came by %s later widens nothing', (why) => {
    expect(names(session(['always-on', []], [why, ['Read', 'Bash']]))).toEqual([]);
    expect(names(session(['role', ['Read']], [why, ['Bash']]))).toEqual(['fs_read_file']);
  });

  test('where the beginning said nothing the first that is loaded says it, and the next one widens nothing', () => {
    expect(names(session(['always-on', null], ['model', ['Read']], ['manual', ['Bash']]))).toEqual([
      'fs_read_file',
    ]);
  });

  test('tools that entries provide may be named', () => {
    expect(names(session(['always-on', ['deploy', 'Read']]), ['deploy'])).toEqual(['deploy', 'fs_read_file']);
  });

  test('a name that stands for no tool allows none', () => {
    expect(names(session(['always-on', ['WebSearch', 'mcp__x__y']]))).toEqual([]);
  });

  test('a pattern allows matching calls and no others, and is no approval', async () => {
    const scope = toolScope(session(['always-on', ['Bash(npm test:*)']]), new Set());
    expect(scopeHas(scope, 'shell_exec')).toBe(true);
    expect(scopeHas(scope, 'fs_read_file')).toBe(false);
    expect(outsideScope(scope, await shellMatter('npm test --watch'))).toBeUndefined();
    expect(outsideScope(scope, await shellMatter('npm publish'))).toBe(
      'allowed-tools of the entries of this session: of shell_exec only npm test:*',
    );
  });
});

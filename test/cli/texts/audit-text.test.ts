import { expect, test } from 'vitest';
import { inventoryTable, onlineText } from '../../../src/cli/texts/audit-text.js';
import { columns } from '../../../src/cli/texts/columns.js';
import { resourcesText } from '../../../src/cli/texts/entry-text.js';
import { inventory } from '../../../src/skills/inventory/inventory.js';
import { anItem } from '../../skills/inventory/items.js';

/** What a terminal obeys, and what a reader of build logs takes for a command. */
const HOSTILE = '::error::\u001b[2J\u202ename\r\n::set-env ##[x';

test('columns are as wide as their widest cell; a cell beyond the bound pushes out its own line alone', () => {
  expect(
    columns(
      [
        ['a', 'bb', 'c'],
        ['aaa', 'b', ''],
        ['aaaaaa', 'b', 'c'],
      ],
      4,
    ),
  ).toBe('a    bb  c\naaa  b\naaaaaa  b   c\n');
  expect(columns([])).toBe('');
});

test.each([
  [
    'an inventory',
    inventoryTable(inventory('x', [anItem({ name: HOSTILE, users: [HOSTILE], vetted: HOSTILE })])),
  ],
  [
    'resources',
    resourcesText({ resources: [{ path: HOSTILE, type: 'text/plain', bytes: 1 }], findings: [] }),
  ],
  [
    'a difference',
    onlineText({
      compared: 1,
      findings: [],
      differences: [{ name: HOSTILE, lines: [` ${HOSTILE}`, '+::x'] }],
    }),
  ],
])('%s: hostile text stays in its line and is no command', (_, text) => {
  expect(text).toContain('name');
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]|^\s*::|##\[/m);
});

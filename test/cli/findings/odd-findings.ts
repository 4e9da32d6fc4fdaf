/** Findings on files whose authors want a report to say something else than it does. */

import type { ReportFolders } from '../../../src/cli/findings/place.js';
import type { Finding } from '../../../src/shared/findings.js';

export const folders: ReportFolders = { workingDirectory: '/repo/sub', root: '/repo' };

const finding: Finding = { code: 'odd', severity: 'error', path: 'a.md', message: 'm', remedy: 'r' };

/** Name and finding. */
export const ODD: readonly (readonly [string, Finding])[] = [
  [
    'a command on a line of its own',
    { ...finding, message: 'x\n::add-mask::secret\r\n::set-output name=a::b' },
  ],
  ['other line breaks', { ...finding, message: 'x\u2028::error::y\u2029::error::z\u0085w\u000bv' }],
  ['a path that is a command', { ...finding, path: '::stop-commands::x/a.md' }],
  ['a path that is a command behind blanks', { ...finding, path: ' \t::add-mask::x/a.md' }],
  ['a path with a line break', { ...finding, path: 'dir\n::error::x/a.md' }],
  ['a command of the old form', { ...finding, message: '##[add-mask]x ##[error]y' }],
  [
    'terminal sequences',
    { ...finding, message: 'a\u001b[2J\u001b]0;t\u0007b\u009b31m', path: 'b\u001b[31m/a.md' },
  ],
  ['turned text', { ...finding, message: 'a\u202eb\u2066c\u{e0041}' }],
  ['a placeholder and a link', { ...finding, message: 'use {0} or [here](https://example.org/)' }],
  ['quotes and backslashes', { ...finding, message: '"\\u0041\\"}],"x":1', path: '"q"/a.md' }],
  ['half a pair', { ...finding, message: 'a\ud83d', path: 'p\ud83d/a.md' }],
  ['an odd remedy', { ...finding, remedy: 'r)\n::error::' }],
];

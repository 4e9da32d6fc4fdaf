/** The root of this package: the folder that holds the built-in catalogue. The same distance from `src` and `dist`. */

import { fileURLToPath } from 'node:url';

export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

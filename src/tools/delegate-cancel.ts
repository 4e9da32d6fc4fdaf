/** `delegate_cancel`: calls an engineer off (spec/runner.md §3 "Cancel"). Its end is told by a message, when nothing of it is left. */

import { z } from 'zod';
import { asker, type CoordinationTool, coordinationTool, told } from './coordination/coordination.js';

export const delegateCancel: CoordinationTool = coordinationTool(
  'delegate_cancel',
  'Calls an engineer off: one of yours, or as lead any. What it still brings does not count. A message tells you when it has ended; until then its task waits.',
  {
    brief: z.string().describe('id of the brief'),
    reason: z.string().min(1).max(2_000).describe('why, for the record'),
  },
  async ({ brief, reason }, context) =>
    told(
      await context.send({ kind: 'brief.cancel', by: asker(context), brief, reason }),
      `${brief} is being called off; a message tells you when it has ended.`,
    ),
);

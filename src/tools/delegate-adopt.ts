/** `delegate_adopt`: the lead has a result count that came when its brief had been given up (spec/runner.md §3 "Cancel"). */

import { z } from 'zod';
import { failed } from '../agent/tool.js';
import { asker, type CoordinationTool, coordinationTool, told } from './coordination/coordination.js';

export const delegateAdopt: CoordinationTool = coordinationTool(
  'delegate_adopt',
  'Has the late result of a lost brief count: the attempt that had failed for it goes on with what was delivered. Only while no newer attempt of the task has started; a message tells you when there is such a result.',
  { brief: z.string().describe('id of the brief') },
  async ({ brief }, context) => {
    if (context.delegated === null) return failed('unknown_brief: nobody delegates in this team');
    const late = await context.delegated.lateResult(brief);
    if (late.kind === 'refused') return failed(`${late.code}: ${late.message}`);
    const id = late.checked.brief;
    return told(
      await context.send({ kind: 'brief.adopt', by: asker(context), ...late.checked }),
      `The late result of ${id} is adopted; its member is told what follows.`,
    );
  },
);

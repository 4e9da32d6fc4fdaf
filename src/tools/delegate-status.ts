/** `delegate_status`: the briefs of this team, where they are and how they ended (spec/runner.md §4). It changes nothing. */

import { z } from 'zod';
import { failed, ok } from '../agent/tool.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import { fenced } from '../shared/fence.js';
import { oneLine } from '../shared/terminal-text.js';
import { type BriefView, briefView } from '../team/show/status-briefs.js';
import { type CoordinationTool, coordinationTool } from './coordination/coordination.js';

/** Ended briefs that one answer lists, the newest. */
const SHOWN = 20;

export const delegateStatus: CoordinationTool = coordinationTool(
  'delegate_status',
  'Shows the briefs that engineers have, with their step, and the last that ended. You are told of every end by a message: there is no need to ask again and again.',
  { brief: z.string().optional().describe('id of one brief; absent: all that are out') },
  async ({ brief }, { state, delegated }) => {
    const { briefs, at } = state();
    const views = [...briefs.values()].map((one) =>
      briefView(one, at, delegated?.engineerOf(one.sent.brief)),
    );
    if (brief !== undefined) {
      const found = views.find(({ id }) => id === brief);
      const ids = views.map(({ id }) => id);
      return found === undefined ? failed(`no brief ${brief}; ${nameRemedy(brief, ids)}`) : ok(lineOf(found));
    }
    const out = views.filter((view) => view.state !== 'ended');
    const ended = views.filter((view) => view.state === 'ended').slice(-SHOWN);
    const lines = [...out, ...ended].map(lineOf);
    return ok(lines.length === 0 ? 'No brief was sent.' : lines.join('\n'));
  },
);

function lineOf(view: BriefView): string {
  const { id, task, attempt, member, engineer, state, step, status, cause, detail } = view;
  const where = status === null ? (step ?? state) : `${status}${cause === null ? '' : ` (${cause})`}`;
  const minutes = Math.round(view.age_ms / 60_000);
  const { activity } = view;
  const seen =
    activity === null
      ? ''
      : `, last seen ${Math.round(activity.ago_ms / 1_000)} s ago in round ${activity.turns}`;
  // Why somebody has called it off, and what an engineer says that it does, are not our words.
  const said = [detail, activity?.text ?? null].filter((text) => text !== null);
  const more = said.map((text) => `\n${fenced(`of ${id}`, oneLine(text, 200))}`).join('');
  return `${id} ${task} attempt ${attempt}, ${engineer} for ${member}: ${where}, ${minutes} min${seen}${more}`;
}

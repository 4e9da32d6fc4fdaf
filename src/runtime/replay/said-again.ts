/** What the operator said in a recorded run, as the commands that say it again (spec/team.md §9). Pure. */

import type { Fact } from '../../events/event.js';
import type { Command } from '../../team/command.js';

/** The command that these facts came of; undefined for one that cannot be said again. */
export function saidAgain(facts: readonly Fact[]): Command | undefined {
  for (const fact of facts) {
    switch (fact.type) {
      case 'request.decided': {
        if (fact.by.kind !== 'operator') return undefined;
        const { request, text } = fact;
        const by = { kind: 'operator' as const, name: fact.by.name };
        const decision = facts.some(({ type }) => type === 'permission.granted') ? 'always' : fact.decision;
        return { kind: 'request.decide', by, request, decision, text, digest: null };
      }
      case 'mail.sent': {
        if (fact.kind !== 'operator') break;
        const [to = '', ...others] = fact.to;
        const by = { kind: 'operator' as const, name: fact.from };
        return {
          kind: 'mail.send',
          by,
          to: others.length > 0 ? 'all' : to,
          body: fact.body,
          task: fact.task,
        };
      }
      case 'run.stopping':
        return { kind: 'run.stop', by: fact.by, cause: fact.cause };
      default:
        break;
    }
  }
  return undefined;
}

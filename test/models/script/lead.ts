/** Conversations with a script that has only the part of a lead. */

import type { ModelReply } from '../../../src/models/model.js';
import { Conversation } from '../../helpers/conversation.js';
import { scriptModel } from '../../helpers/script.js';

/** A conversation with the role `lead` of a script that has only that part. */
export function lead(part: object, path = 'team.yaml'): Conversation {
  return new Conversation(scriptModel({ script: 1, roles: { lead: part } }, { path }));
}

/** The calls of an answer, each as {tool: arguments}. */
export function called(reply: ModelReply): unknown[] {
  return reply.calls.map((call) => ({ [call.tool]: call.arguments }));
}

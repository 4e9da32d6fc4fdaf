/** What the layers above `team/` read of a team, under one name: the state's types and the facts they come from. */

export type { Fact } from '../../events/event.js';
export type { Member, Message, Request, Task, TeamState } from '../state.js';

/** The way of a chat to its model: behind the gate of provider and key that every team of this process goes through. */

import type { Gate } from '../../agent/ask.js';
import type { Model } from '../../models/model.js';
import type { House } from '../house.js';

/** @param name who asks, as told to the gate */
export function chatGate({ gates, clock }: House, model: Model, name: string): Gate {
  const pacer = gates.of(model);
  const who = `chat/${name}`;
  /** How often in a row no answer came. */
  let unanswered = 0;
  const now = (): number => clock.monotonicMs();
  return {
    enter: () => pacer.enter(who, now()),
    refused: (toldMs, said) => pacer.refused(who, now(), toldMs, said),
    unanswered: (toldMs) => pacer.unanswered(who, ++unanswered, toldMs),
    answered: () => {
      unanswered = 0;
      pacer.answered(who);
    },
    left: () => pacer.left(who),
  };
}

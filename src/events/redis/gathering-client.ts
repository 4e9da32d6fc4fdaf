/**
 * A client that gathers what is sent in one go and writes it at once. A write to a socket costs more than all else about a small
 * command (measured: a tenth of a whole turn at 16 at once), and a team at work sends several commands in a go: transcript,
 * entry and lease of a turn, and those of other turns.
 *
 * Nothing else of the library changes: each command keeps its own promise, its order on the line, and its own fate when the
 * line breaks. What was sent leaves once no promise is left to go on (the next tick), before anything is waited for: the end of
 * the pass of the event loop would gather a little more, and cost each pass a look at all sockets.
 */

import { Redis } from 'ioredis';

type Sent = Parameters<Redis['sendCommand']>;

export class GatheringClient extends Redis {
  /** The socket that holds back what is written. */
  #gathers: Redis['stream'] | undefined;

  override sendCommand(...sent: Sent): unknown {
    if (this.status === 'ready' && this.#gathers === undefined) this.#gather(this.stream);
    return super.sendCommand(...sent);
  }

  #gather(stream: Redis['stream']): void {
    this.#gathers = stream;
    stream.cork();
    process.nextTick(() => {
      this.#gathers = undefined;
      stream.uncork();
    });
  }
}

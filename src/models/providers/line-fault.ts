/** What can go wrong between a question and its answer, before anything is made of it. */

/** `headers` are in lower case. */
export type LineFault =
  /** The provider answered with an error. `body`: the beginning of it. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** It sent us elsewhere. Not followed: the key would go along. */
  | { readonly kind: 'redirect'; readonly status: number; readonly host: string }
  /** Something that is no interface for programs answered with a page for people. */
  | { readonly kind: 'page'; readonly title: string }
  /** No connection, or one that broke. `code` is the system's word, e.g. `ECONNREFUSED`. */
  | { readonly kind: 'broken'; readonly code: string | null; readonly text: string }
  | { readonly kind: 'silent'; readonly during: 'headers' | 'body'; readonly ms: number }
  | { readonly kind: 'too-large'; readonly bytes: number };

/** Thrown into the package that waits for its answer; what became of the line is told by its exchange. */
export class LineError extends Error {
  readonly fault: LineFault;

  constructor(fault: LineFault) {
    super(`the line failed: ${fault.kind}`);
    this.name = 'LineError';
    this.fault = fault;
  }
}

/**
 * OpenTelemetry of the queue for who asks for it (spec/engine.md §2 "BullMQ"): a span for each job that is asked for, and one
 * for each that is run, a child of the first in whichever process it runs. Over `bullmq-otel`, which is loaded here and
 * nowhere else; what becomes of the spans says the SDK that the operator has registered, for this program has none.
 *
 *  T1 whoever has not asked loads nothing and makes no span;
 *  T2 a span says ids, names of members and words of lists: no text of anybody, and of an error its name alone;
 *  T3 what a job says of its trace is somebody else's text: what cannot be read of it begins a trace of its own;
 *  T4 what the library tells of itself (each empty fetch, each renewal of a lock) is no span: an idle worker sends none.
 */

import type { Span as ActiveSpan, TracerProvider } from '@opentelemetry/api';
import { type Span, SpanKind, type Telemetry } from 'bullmq';
import { systemCode, UserError } from '../shared/errors.js';
import { atMost } from './by-deadline.js';
import type { Job } from './job.js';

type Attributes = Readonly<Record<string, string | number>>;

export interface QueueTracing {
  /** For queues and workers of BullMQ. */
  readonly telemetry: Telemetry;
  /** A job is run in the span that is active now. The returned function says that it is over. */
  began(job: Job): () => void;
  /** The job of a member for this cause has become a turn of the record. */
  turnStarted(
    turn: { readonly team: string; readonly member: string; readonly cause: number },
    number: number,
  ): void;
  turnEnded(team: string, number: number, outcome: string): void;
  /** Has the SDK send what it still holds, for at most two seconds. Never rejects. */
  flush(): Promise<void>;
}

const FLUSH_MS = 2_000;

/** A trace and its state; whatever is longer is none. In characters. */
const MOST_METADATA = 4_096;

/** What the span of a job says of it. */
export function jobAttributes(job: Job): Attributes {
  const { kind, team } = job;
  return kind === 'turn'
    ? { 'bnerd.team': team, 'bnerd.member': job.member, 'bnerd.role': job.role, 'bnerd.cause': job.cause }
    : { 'bnerd.team': team, 'bnerd.brief': job.brief };
}

/**
 * Opens it. Rejects with `UserError` `tracing-not-installed` without the library, and `tracing-without-sdk` where nobody has
 * registered an SDK: every span would be for nothing.
 * @param version of this package, for the name of the tracer
 */
export async function openTracing(version: string): Promise<QueueTracing> {
  const { api, library } = await loaded();
  const { trace, ROOT_CONTEXT } = api;
  const name = 'bnerd-teams';
  if (!api.isSpanContextValid(trace.getTracer(name).startSpan('none').spanContext())) {
    const what = 'BNERD_OTEL asks for OpenTelemetry, and no SDK is registered in this process';
    const remedy = 'name a file that registers one: NODE_OPTIONS="--import <file>"';
    throw new UserError('tracing-without-sdk', `${what}; ${remedy}`);
  }
  const { tracer, contextManager } = new library.BullMQOtel({ tracerName: name, version });
  /** By team, member and cause. Beside the job of a turn a stale one of the same member may run. */
  const jobs = new Map<string, ActiveSpan>();
  /** By team and number. */
  const turns = new Map<string, ActiveSpan>();
  return {
    telemetry: {
      tracer: {
        startSpan: (operation, options, context) =>
          options?.kind === SpanKind.PRODUCER || options?.kind === SpanKind.CONSUMER
            ? discreet(tracer.startSpan(operation, options, context))
            : NO_SPAN,
      },
      contextManager: {
        with: (context, work) => contextManager.with(context, work),
        active: () => contextManager.active(),
        root: () => ROOT_CONTEXT,
        getMetadata: (context) => contextManager.getMetadata(context),
        fromMetadata: (active, metadata: unknown) => {
          if (typeof metadata !== 'string' || metadata.length > MOST_METADATA) return active;
          try {
            return contextManager.fromMetadata(active, metadata);
          } catch {
            return active; // T3
          }
        },
      },
    },
    began: (job) => {
      const span = trace.getActiveSpan();
      span?.setAttributes(jobAttributes(job));
      if (span === undefined || job.kind !== 'turn') return () => {};
      const key = keyOf(job.team, job.member, job.cause);
      if (!jobs.has(key)) jobs.set(key, span);
      return () => {
        if (jobs.get(key) === span) jobs.delete(key);
        for (const [turn, known] of turns) if (known === span) turns.delete(turn);
      };
    },
    turnStarted: ({ team, member, cause }, number) => {
      const span = jobs.get(keyOf(team, member, cause));
      if (span !== undefined) turns.set(keyOf(team, number), span.setAttribute('bnerd.turn', number));
    },
    turnEnded: (team, number, outcome) => {
      turns.get(keyOf(team, number))?.setAttribute('bnerd.outcome', outcome);
    },
    flush: () => atMost(FLUSH_MS, flushed(trace.getTracerProvider())),
  };
}

async function loaded() {
  try {
    const [api, library] = await Promise.all([import('@opentelemetry/api'), import('bullmq-otel')]);
    return { api, library };
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const what = 'BNERD_OTEL asks for OpenTelemetry, and the package for it is not there';
    throw new UserError('tracing-not-installed', `${what}; npm install bullmq-otel beside this program`, {
      cause: error,
    });
  }
}

/** The provider of the API stands before the one that was registered, which may hold spans back to send several at once. */
async function flushed(provider: TracerProvider): Promise<void> {
  const own: unknown =
    'getDelegate' in provider && isFunction(provider.getDelegate) ? provider.getDelegate() : provider;
  if (typeof own === 'object' && own !== null && 'forceFlush' in own && isFunction(own.forceFlush)) {
    await own.forceFlush();
  }
}

function isFunction(value: unknown): value is () => unknown {
  return typeof value === 'function';
}

/** The message of an error may hold what nobody is to read elsewhere. */
function discreet(span: Span): Span {
  return {
    setSpanOnContext: (context) => span.setSpanOnContext(context),
    setAttribute: (key, value) => span.setAttribute(key, value),
    setAttributes: (attributes) => span.setAttributes(attributes),
    addEvent: (event, attributes) => span.addEvent(event, attributes),
    recordException: (exception, time) => {
      const { name = 'Error' } = typeof exception === 'object' ? exception : {};
      span.recordException({ name, message: '' }, time);
    },
    end: () => span.end(),
  };
}

const NO_SPAN: Span = {
  setSpanOnContext: (context) => context,
  setAttribute: () => {},
  setAttributes: () => {},
  addEvent: () => {},
  recordException: () => {},
  end: () => {},
};

function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

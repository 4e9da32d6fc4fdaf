// What spans of jobs hold and what begins them, over a real SDK (spec/engine.md §2 "BullMQ").
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { SpanKind } from 'bullmq';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { turnJob } from '../../src/dispatch/job.js';
import { openTracing, type QueueTracing } from '../../src/dispatch/tracing.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let tracing: QueueTracing;

beforeAll(async () => {
  await expect(openTracing('0.0.0')).rejects.toMatchObject({ code: 'tracing-without-sdk' });
  provider.register();
  tracing = await openTracing('0.0.0');
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  trace.disable();
  await provider.shutdown();
});

/** Runs in a span of its own, as the queue library does. */
function within(kind: SpanKind, work: () => void, metadata?: unknown): void {
  const { tracer, contextManager } = tracing.telemetry;
  const active = contextManager.active();
  const parent = metadata === undefined ? undefined : contextManager.fromMetadata(active, metadata as string);
  const span = tracer.startSpan('work', { kind }, parent);
  contextManager.with(span.setSpanOnContext(parent ?? active), work);
  span.end();
}

const JOB = turnJob({ team: 't', member: 'm', role: 'r', cause: 7, pool: 'turns' });

test('a job and its turn stand in its span and in no other, until it is over', () => {
  within(SpanKind.CONSUMER, () => {
    const over = tracing.began(JOB);
    // A stale one beside it, for what the member was due before.
    within(SpanKind.CONSUMER, () => tracing.began({ ...JOB, cause: 5 })());
    tracing.turnStarted(JOB, 12);
    tracing.turnStarted({ ...JOB, member: 'another' }, 13);
    tracing.turnEnded('t', 12, 'parked');
    tracing.turnEnded('t', 13, 'failed');
    over();
    tracing.turnEnded('t', 12, 'finished');
  });
  const [stale, span] = exporter.getFinishedSpans();
  expect(stale?.attributes).not.toHaveProperty('bnerd.turn');
  expect(span?.attributes).toEqual({
    'bnerd.team': 't',
    'bnerd.member': 'm',
    'bnerd.role': 'r',
    'bnerd.cause': 7,
    'bnerd.turn': 12,
    'bnerd.outcome': 'parked',
  });
});

test('the span of a run is below the one that asked for it, by what the job says of that', () => {
  const { contextManager } = tracing.telemetry;
  let said = '';
  within(SpanKind.PRODUCER, () => {
    said = contextManager.getMetadata(contextManager.active());
  });
  within(SpanKind.CONSUMER, () => {}, said);
  const [asked, run] = exporter.getFinishedSpans();
  expect(run?.parentSpanContext?.spanId).toBe(asked?.spanContext().spanId);
  expect(run?.spanContext().traceId).toBe(asked?.spanContext().traceId);
});

test.each([
  '',
  'no json',
  '5',
  'null',
  '[]',
  '{"traceparent":7}',
  '{"traceparent":"00-zz"}',
  5,
  {},
  'x'.repeat(1e6),
])('what a job says that cannot be read begins a trace of its own: %j', (metadata) => {
  within(SpanKind.CONSUMER, () => {}, metadata);
  const [run] = exporter.getFinishedSpans();
  expect(run?.parentSpanContext).toBeUndefined();
});

test('what the library tells of itself is no span, and hides none above it', () => {
  within(SpanKind.CONSUMER, () => within(SpanKind.INTERNAL, () => tracing.began(JOB)()));
  const spans = exporter.getFinishedSpans();
  expect(spans).toHaveLength(1);
  expect(spans[0]?.attributes['bnerd.member']).toBe('m');
});

test('of an error its name stands there, and not its words', () => {
  const span = tracing.telemetry.tracer.startSpan('work', { kind: SpanKind.CONSUMER });
  span.recordException(Object.assign(new TypeError('secret words'), { code: 'E1' }));
  span.recordException('secret words');
  span.end();
  const [sent] = exporter.getFinishedSpans();
  expect(sent?.events.map(({ attributes }) => attributes?.['exception.type'])).toContain('TypeError');
  expect(JSON.stringify(sent?.events)).not.toContain('secret words');
});

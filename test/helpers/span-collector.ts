/** A collector of the running test: takes spans by OTLP over HTTP, in JSON, and keeps what it was sent. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface SentSpan {
  readonly trace: string;
  readonly id: string;
  /** '' for the first of a trace. */
  readonly parent: string;
  readonly name: string;
  readonly kind: 'producer' | 'consumer' | 'other';
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface SpanCollector {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** Bodies as they came. */
  readonly bodies: readonly string[];
  spans(): readonly SentSpan[];
}

const SENT = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().default(''),
              name: z.string(),
              kind: z.number(),
              attributes: z.array(
                z.object({
                  key: z.string(),
                  value: z.object({
                    stringValue: z.string().optional(),
                    intValue: z.coerce.number().optional(),
                  }),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** Numbers of the protocol; 0 is none. */
const KINDS: Readonly<Record<number, SentSpan['kind']>> = { 4: 'producer', 5: 'consumer' };

/** Begins to listen, until the test is over. */
export async function spanCollector(): Promise<SpanCollector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const spans = (): SentSpan[] =>
    bodies
      .flatMap((body) => SENT.parse(JSON.parse(body)).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      .map(({ traceId, spanId, parentSpanId, name, kind, attributes }) => ({
        trace: traceId,
        id: spanId,
        parent: parentSpanId,
        name,
        kind: KINDS[kind] ?? 'other',
        attributes: Object.fromEntries(
          attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
        ),
      }));
  return { address: `http://127.0.0.1:${port}`, bodies, spans };
}

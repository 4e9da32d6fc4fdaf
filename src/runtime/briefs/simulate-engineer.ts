/**
 * A stand-in for an engineer in a simulation (spec/team.md §9): none is started, and what it says is that it has done nothing.
 * So it is seen how a recipe moves, and no program of the operator's runs.
 */

import type { FactOf } from '../../events/event.js';
import type { Blobs } from '../../events/record.js';
import type { Command } from '../../team/command.js';

/** Takes the brief and ends it, well and with nothing. */
export async function simulateEngineer(
  sent: FactOf<'brief.sent'>,
  blobs: Blobs,
  send: (command: Command) => Promise<unknown>,
): Promise<void> {
  const { brief, sent_block } = sent;
  await send({
    kind: 'brief.accept',
    accepted: {
      brief,
      runner: 'simulated',
      key_id: '',
      engineer_version: null,
      sent_block,
      final_block: sent_block,
      additions: [],
      without: [],
      project_settings: false,
    },
  });
  const message = `Simulated: no engineer was started, and nothing was changed. Verified in name only: ${sent.verify.join(', ') || 'nothing'}.`;
  await send({
    kind: 'brief.end',
    brief,
    text: await blobs.put(message),
    result: {
      status: 'completed',
      cause: null,
      detail: 'simulated',
      message,
      head: null,
      diffstat: { files: 0, insertions: 0, deletions: 0 },
      uncommitted: [],
      protected: [],
      verify: sent.verify.map((key) => ({ key, outcome: 'passed' as const })),
      not_verified: sent.verify.length === 0 ? 'nothing_to_verify' : null,
      workspace_changes: [],
      usage: { input_tokens: 0, cached_tokens: 0, output_tokens: 0, turns: 0, cost_usd: 0 },
      sent_block,
      final_block: sent_block,
      transcript: null,
    },
    delivery: { kind: 'nothing' },
    missingArtifacts: [],
  });
}

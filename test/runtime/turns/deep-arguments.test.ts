// What a model writes as arguments never ends the run of its team, however deep it is nested.
import { expect, test } from 'vitest';
import { redactorOf } from '../../../src/shared/secrets/redactor.js';
import { settingsOf } from '../../helpers/model-settings.js';
import { farSide, providerTeam } from '../../helpers/provider-team.js';
import { startJob, writeMission } from '../../helpers/team.js';

const KEY = 'sk-ant-4n7hQw9ZxT2mB8';

test.each([50, 500, 5_000, 50_000])('%i levels deep', async (levels) => {
  const far = await farSide('anthropic', ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length;
    if (results > 0) return finish(results);
    const nested = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    return { kind: 'reply', text: '', calls: [{ tool: 'team_overview', arguments: nested }] };
  });
  const written = await writeMission(
    providerTeam({ recipe: { model: 'sonnet', tasks: [] }, roles: { boss: {} } }),
  );
  const models = settingsOf({ variables: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: far.url } });
  const secrets = redactorOf([{ name: 'ANTHROPIC_API_KEY', value: KEY }]);
  const team = await startJob({ ...written, house: { ...written.house, models, secrets } });
  expect(await team.ended()).toMatchObject({ reason: 'failed', cause: 'lead', result: 'Seen.' });
  expect(team.results('boss')).toHaveLength(2);
});

function finish(results: number) {
  const done = { tool: 'team_finish', arguments: { outcome: 'failed', result: 'Seen.' } };
  return { kind: 'reply' as const, text: 'Then so.', calls: results === 1 ? [done] : [] };
}

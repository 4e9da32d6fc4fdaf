import { expect, test } from 'vitest';
import { readRedisRecord } from '../../../src/events/redis/redis-view.js';
import { sha256 } from '../../../src/shared/digest.js';
import { entryAt, ids, input, MULTI_BYTE, numbers, opened } from '../../contracts/record-samples.js';
import { describeRedis, redisForTests } from '../../helpers/redis.js';
import { openRecordOn, TEAM } from '../../helpers/redis-record.js';

describeRedis('a record on Redis that is only looked at', () => {
  const redis = redisForTests();

  test('gives log, transcripts, members and texts, beside the process that writes them', async () => {
    const at = redis();
    const { record } = await openRecordOn(at, { mode: 'create' });
    const digest = await record.blobs.put(MULTI_BYTE);
    await Promise.all([1, 2].map((first) => record.log.append(entryAt(first))));
    await record.transcripts.append('Ann Lee', [opened(1, 'Ann Lee'), input(1, 1)]);
    await record.transcripts.append('lead', [opened(2, 'lead')]);
    const view = readRedisRecord({
      connection: at.connect(),
      names: at.names,
      team: TEAM,
      reading: 'strict',
    });
    expect(await view.log()).toEqual({ entries: [entryAt(1), entryAt(2)], findings: [] });
    expect(ids((await view.transcript('Ann Lee')).entries)).toEqual(['1-0', '1-1']);
    expect(await view.transcript('nobody')).toEqual({ entries: [], findings: [] });
    expect(await view.members()).toEqual(['Ann Lee', 'lead']);
    expect(await view.blob(digest)).toBe(MULTI_BYTE);
    expect(await view.blob(sha256('not there'))).toBeUndefined();
    expect(await view.blob('no digest')).toBeUndefined();
    await record.log.append(entryAt(3));
    expect(numbers((await view.log()).entries)).toEqual([1, 2, 3]);
  });

  test('of a team that is not there says so', async () => {
    const at = redis();
    const view = readRedisRecord({
      connection: at.connect(),
      names: at.names,
      team: TEAM,
      reading: 'tolerant',
    });
    await expect(view.log()).rejects.toMatchObject({ code: 'no-team', name: 'UserError' });
    expect(await view.members()).toEqual([]);
  });

  test('what is broken refuses a strict reading, and is left out of a tolerant one with a warning', async () => {
    const at = redis();
    const { record, connection } = await openRecordOn(at, { mode: 'create' });
    const digest = await record.blobs.put('text');
    await record.log.append(entryAt(1));
    await record.transcripts.append('writer', [opened(1)]);
    await connection.client.xadd(at.names.log(TEAM), '0-2', 'e', 'no JSON');
    await connection.client.xadd(at.names.transcript(TEAM, 'writer'), '1-1', 'e', '[{"kind":"strange"}]');
    await connection.client.hset(at.names.blobs(TEAM), digest, 'changed');
    const look = (reading: 'strict' | 'tolerant') =>
      readRedisRecord({ connection, names: at.names, team: TEAM, reading });
    await expect(look('strict').log()).rejects.toMatchObject({ code: 'log-broken' });
    await expect(look('strict').transcript('writer')).rejects.toMatchObject({ code: 'transcript-broken' });
    await expect(look('tolerant').blob(digest)).rejects.toMatchObject({ code: 'blob-broken' });
    const log = await look('tolerant').log();
    expect(log.entries).toEqual([entryAt(1)]);
    expect(log.findings).toMatchObject([
      { code: 'log-broken', severity: 'warning', path: at.names.log(TEAM), line: 2 },
    ]);
    const transcript = await look('tolerant').transcript('writer');
    expect(ids(transcript.entries)).toEqual(['1-0']);
    expect(transcript.findings).toMatchObject([{ code: 'transcript-broken', line: 2 }]);
  });

  test('a server that is not there is said after a while', async () => {
    const at = redis();
    const connection = at.connectBy('unix:///nowhere/redis.sock');
    const options = {
      connection,
      names: at.names,
      team: TEAM,
      reading: 'strict',
      unreachableMs: 100,
    } as const;
    const looking = readRedisRecord(options).log();
    await expect(looking).rejects.toMatchObject({ code: 'record-unreachable' });
    await expect(looking).rejects.toThrow('ENOENT');
  });
});

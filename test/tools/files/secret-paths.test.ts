import { describe, expect, test } from 'vitest';
import { secretVerdict } from '../../../src/tools/files/secret-paths.js';
import { house } from '../house.js';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n';

test.each([
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
  'app/.env',
  '.ENV',
  '.Env.Local',
  '.env.',
  '.env ',
  '.e\u200cnv',
  'id_rsa',
  'keys/id_ed25519',
  'id_ecdsa_sk',
  'ID_RSA',
  '.ssh/anything',
  '.gnupg/private-keys-v1.d/x.key',
  'store.p12',
  'release.jks',
  '.npmrc',
  'packages/a/.npmrc',
  '.netrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.aws/credentials',
  '.docker/config.json',
  'kubeconfig',
  '.kube/config',
  '.config/gcloud/application_default_credentials.json',
  '.config/gh/hosts.yml',
  '.cargo/credentials.toml',
  '.git/config',
  '.git/modules/a/config',
  '.bnerd.yaml',
  'deploy/prod.env',
  'deploy_id_rsa',
  'etc/ssh/ssh_host_ed25519_key',
  'config/master.key',
  'config/credentials/production.key',
  'credentials.json',
  'app/.credentials',
  '.claude/.credentials.json',
  'service-account-prod.json',
  'client_secret_1.apps.json',
  '.codex/auth.json',
  '.bash_history',
  '.node_repl_history',
  'infra/terraform.tfstate',
  'infra/terraform.tfstate.backup',
  '.bnerd/keys/own/0123456789abcdef.json',
  '.bnerd/teams/run-job-1/keys/worker.json',
  'state/teams/run-job-1/keys/worker.json',
  'state/teams/run-job-1/runner/identity.json',
  '.bnerd/vm-07/identity.json',
])('%j is secret', (path) => {
  expect(secretVerdict(path.split('/')).kind).toBe('secret');
});

test.each([
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.local.example',
  '.env-example',
  'environment.ts',
  'src/env.ts',
  'id_rsa.pub',
  '.ssh/known_hosts',
  '.ssh/config',
  '.ssh/id_ed25519.pub',
  'config.json',
  'docker/config.json',
  'keys.ts',
  'monkey.md',
  'tokens.css',
  'example.env',
  'history.md',
  'deploy/sample.env',
  'src/credentials.ts',
  'src/service-account.ts',
  'docs/credentials.md',
  'etc/ssh/ssh_host_ed25519_key.pub',
  'locale.env.ts',
])('%j is plain', (path) => {
  expect(secretVerdict(path.split('/')).kind).toBe('plain');
});

describe('files that are secret by what they hold', () => {
  test('a private key is refused, a certificate of the same name is read', async () => {
    const at = await house();
    await at.put('server.key', KEY);
    await at.put('server.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await at.put('big.pem', `${'x'.repeat(300 * 1024)}${KEY}`);
    expect(await at.call('fs_read_file', { path: 'server.pem' })).toMatchObject({ outcome: 'ok' });
    for (const path of ['server.key', 'big.pem']) {
      const { outcome, text } = await at.call('fs_read_file', { path });
      expect(outcome).toBe('error');
      expect(text).toContain('private key');
      expect(text).not.toContain('AAAA');
    }
  });
});

test('no file tool reads, writes, edits or deletes a secret file, or shows a line of it', async () => {
  const at = await house();
  await at.put('.env', 'TOKEN=very-secret\n');
  await at.put('server.key', KEY.replace('AAAA', 'very-secret'));
  await at.put('.env.example', 'TOKEN=example\n');
  const digest = 'a'.repeat(64);
  for (const [tool, args] of [
    ['fs_read_file', { path: '.env' }],
    ['fs_write_file', { path: '.env', content: 'x' }],
    ['fs_write_file', { path: 'sub/.env.local', content: 'x' }],
    ['fs_edit_file', { path: '.env', old: 'T', new: 'x', digest }],
    ['fs_delete', { path: '.env', digest }],
    ['fs_write_file', { path: 'server.key', content: 'x', digest }],
    ['fs_delete', { path: 'server.key', digest }],
  ] as const) {
    const result = await at.call(tool, args);
    expect(result, tool).toMatchObject({
      outcome: 'error',
      text: expect.stringMatching(/file with secrets/),
    });
    expect(result.text).not.toContain('very-secret');
  }
  const grep = await at.call('fs_grep', { pattern: 'secret|example' });
  expect(grep.text).toBe('.env.example:1: TOKEN=example\n(1 lines)\n(files left out: 2 with secrets)');
  expect(await at.text('.env')).toBe('TOKEN=very-secret\n');
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox, ROOT, run } from './sandbox.ts';

const readPackage = () => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;

/** `npm publish` of this package.json against a registry that takes everything, and what reached that registry. */
async function publish(manifest: Record<string, unknown>, ...flags: readonly string[]) {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.statusCode = request.method === 'GET' ? 404 : 201;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  using box = openSandbox();
  const { port } = registry.address() as AddressInfo;
  const own = readFileSync(join(ROOT, '.npmrc'), 'utf8');
  box.write('.npmrc', `${own}registry=http://127.0.0.1:${port}\n//127.0.0.1:${port}/:_authToken=none\n`);
  box.write('package.json', JSON.stringify({ ...manifest, workspaces: undefined }));
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  try {
    const ended = await run('timeout', ['50', 'npm', 'publish', ...flags], env, box.dir);
    return { ...ended, uploads: asked.filter((one) => one.startsWith('PUT')) };
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
}

describe('a bare npm publish', () => {
  it.each([['as it is'], ['dry', '--dry-run']])(
    'is refused %s and names npm run release, because it would bring no dist/',
    async (_, ...flags) => {
      const { code, stderr, uploads } = await publish(readPackage(), ...flags);
      expect(stderr).toContain('use-npm-run-release');
      expect({ code, uploads }).toEqual({ code: 1, uploads: [] });
    },
  );

  it('is refused as private, too, where a registry is named', async () => {
    const { code, stderr, uploads } = await publish({ ...readPackage(), publishConfig: undefined });
    expect(stderr).toContain('EPRIVATE');
    expect({ code, uploads }).toEqual({ code: 1, uploads: [] });
  });

  it('would be accepted without the fields that refuse it', async () => {
    const { code, uploads } = await publish({ ...readPackage(), private: undefined, publishConfig: undefined });
    expect({ code, uploads }).toEqual({ code: 0, uploads: ['PUT /reeve'] });
  });
});

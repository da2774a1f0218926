/** Serves a folder of segments where no web server is installed. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { LOOPBACK } from './ports.ts';

const TYPES: Readonly<Record<string, string>> = { '.m3u8': 'application/vnd.apple.mpegurl', '.ts': 'video/mp2t' };

/** Serves a folder under `/hls/` on loopback, where no web server is installed. */
export async function serveFolder(folder: string, port: number): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://stage').pathname));
    if (!path.startsWith('/hls/')) return response.writeHead(404).end();
    const file = createReadStream(join(folder, path.slice('/hls/'.length)));
    file.once('error', () => response.writeHead(404).end());
    file.once('open', () => {
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
      file.pipe(response);
    });
    return response;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

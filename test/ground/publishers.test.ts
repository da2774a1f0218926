import { describe, expect, it } from 'vitest';
import { firstFit } from '../../src/detect/patterns/catalogue.ts';
import { readCatalogue } from '../../scripts/corpus.ts';
import { Scene } from './scene.ts';

const catalogue = readCatalogue();

describe('a publisher that its server refuses', () => {
  it.each([
    ['ffmpeg', 'icecast://source:x@127.0.0.1:8000/radio.mp3: Server returned 401 Unauthorized (authorization failed)'],
    ['darkice', 'DarkIce: IceCast2.cpp:249: Icecast2 - wrong password [0]'],
    ['obs', "[rtmp stream: 'simple_stream'] Connection to rtmp://ingest/live failed: invalid stream key"],
    ['liquidsoap', '2026/11/28 20:49:45 [one.mp3:2] Connection failed: 401, Authentication Required (HTTP/1.0)'],
    [
      'icecast',
      'INFO connection/_handle_source_request Source (/a) attempted to login with invalid or missing password',
    ],
    ['owncast', 'ERRO[2026-01-01T00:00:00Z] invalid streaming key; rejecting incoming stream'],
    ['peertube', 'warn[5/6/2026, 6:40:10 PM] Unknown live video with stream key REDACTED.'],
    [
      'node-media-server',
      '11/22/2026 12:57:17 9220 [INFO] [rtmp publish] Unauthorized. id=O streamPath=/live/a sign=b',
    ],
    [
      'srs',
      '[2026-02-28 09:47:57.841][ERROR][5969][4][11] serve error code=1055 : rtmp: callback on_publish hook rejected',
    ],
    ['nginx-rtmp', '[error] 7372#7372: *73 access forbidden by rule, client: 127.0.0.1'],
  ])('is told as that, and not as a source that refuses: %s', (_, line) => {
    const scene = new Scene();
    const { symptom, id: pattern } = firstFit(line, catalogue)!;
    scene.die({ code: 1 }).advance(100).log(symptom, { pattern }).log('process_exit_nonzero').look();
    scene.advance(10_000);
    expect(scene.verdict()).toBe('publish_rejected');
    expect(scene.trouble().because).toBe('the server refuses the publisher');
  });

  it('is none where it is a source that Liquidsoap reads', () => {
    const line = '[http_relay:2] Connection failed: http error 401: Unauthorized!';
    const { symptom, id: pattern } = firstFit(line, catalogue)!;
    const scene = new Scene();
    scene.die({ code: 1 }).advance(100).log(symptom, { pattern }).look();
    scene.advance(10_000);
    expect(scene.verdict()).toBe('upstream_url_expired');
  });
});

import { describe, expect, it } from 'vitest';
import type { Notice } from '../../src/core/chunk.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { createDetector } from '../../src/detect/detector.ts';
import { classifyLine } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';
import { fakeClock } from '../support/fake_clock.ts';

const catalogue = readCatalogue();

/** What real daemons print when they are broken on purpose. */
describe('what broken channels print', () => {
  it.each([
    ['[in#0 @ 0x55] Error opening input: Server returned 403 Forbidden (access denied)', 'auth_denied'],
    ['http://127.0.0.1:21030/live/pull1.ts: Server returned 404 Not Found', 'upstream_not_found'],
    ['http://127.0.0.1:21030/live/pull1.ts: Server returned 5XX Server Error reply', 'upstream_unreachable'],
    ['[tcp @ 0x55] Connection to tcp://127.0.0.1:21030 failed: Connection refused', 'upstream_unreachable'],
    ['[http @ 0x55] Will reconnect at 0 in 3 second(s), error=Connection refused.', 'upstream_unreachable'],
    ['[http @ 0x55] Will reconnect at 1024 in 3 second(s), error=Connection timed out.', 'upstream_timeout'],
    ['[mpegts @ 0x55] Packet corrupt (stream = 0, dts = 556490).', 'corrupt_input'],
    ['[h264 @ 0x55] error while decoding MB 35 11', 'corrupt_input'],
    ['[h264 @ 0x55] non-existing PPS 0 referenced', 'benign_noise'],
    ['[libx264 @ 0x55] Error setting preset/tune ultrafasst/zerolatency.', 'config_error'],
    ['av_interleaved_write_frame(): Permission denied', 'permission_denied'],
    ['av_interleaved_write_frame(): Too many open files', 'fd_exhaustion'],
    ['pthread_create failed: Resource temporarily unavailable. Try to increase `ulimit -v`', 'fd_exhaustion'],
    ['kernel: Memory cgroup out of memory: Killed process 771 (ffmpeg) total-vm:4201122kB', 'process_killed_oom'],
    ['tcp://127.0.0.1:21029?listen=1: Address already in use', 'port_in_use'],
    ['nginx: [emerg] bind() to 127.0.0.1:21000 failed (98: Address already in use)', 'port_in_use'],
    ['[tcp @ 0x55] Failed to resolve hostname origin.invalid: Name or service not known', 'dns_failure'],
    ['[tcp @ 0x55] Failed to resolve hostname origin.example: Temporary failure in name resolution', 'dns_failure'],
    ['av_interleaved_write_frame(): No space left on device', 'disk_full'],
    ['av_interleaved_write_frame(): No such file or directory', 'config_error'],
    [
      'Could not write header for output file #0 (incorrect codec parameters ?): No such file or directory',
      'config_error',
    ],
    ["[segment @ 0x55] Failed to open segment '/srv/none/i0.ts'", 'config_error'],
    ['[dash @ 0x55] Unable to open /srv/none/i0.m4s.tmp for writing: No such file or directory', 'config_error'],
    ['Exiting normally, received signal 15.', 'benign_noise'],
    ['2026-11-21 20:41:02,118 WARN exited: gen1 (terminated by SIGKILL; not expected)', 'process_exit_nonzero'],
    ['2026-11-21 20:41:02,118 WARN exited: gen1 (terminated by SIGSEGV; not expected)', 'process_crash'],
    ['2026-11-21 20:41:02,118 WARN exited: gen1 (exit status 1; not expected)', 'process_exit_nonzero'],
    ['2026-11-21 20:41:02,118 INFO exited: gen1 (exit status 0; expected)', 'benign_noise'],
    [
      '2026-11-21 20:41:02,118 INFO gave up: gen1 entered FATAL state, too many start retries too quickly',
      'process_exit_nonzero',
    ],
    [
      '2026-11-21 20:41:02,118 INFO success: gen1 entered RUNNING state, process has stayed up for > than 1 seconds',
      'benign_noise',
    ],
    ['[2026-11-21  21:27:39] INFO source/source_main listener count on /radio.mp3 now 0', 'benign_noise'],
  ])('%s is %s', (line, symptom) => {
    expect(classifyLine(line, catalogue).symptom).toBe(symptom);
  });
});

it('recognises a supervisor’s notices through the shipped catalogue, and raises only what is trouble', () => {
  const notices: Notice[] = [];
  const symptoms: Symptom[] = [];
  const detector = createDetector({
    catalogue,
    clock: fakeClock().clock,
    channels: createChannelTable(['gen1', 'pull1']),
    clean: (text) => text,
    parseProgress: () => undefined,
    onSymptom: (symptom) => symptoms.push(symptom),
    onProgress: () => {},
    onNotice: (notice) => notices.push(notice),
  });
  const bytes = Buffer.from(
    '2026-11-21 20:41:02,118 WARN exited: gen1 (terminated by SIGKILL; not expected)\n' +
      "2026-11-21 20:41:03,120 INFO spawned: 'gen1' with pid 4127\n" +
      '2026-11-21 20:41:04,121 INFO exited: pull1 (exit status 0; expected)\n',
  );
  const range = { bytes, start: 0, end: bytes.length, backlog: false };
  const count = detector.accept({ source: 'supervisord', channel: undefined, at: 0, monoMs: 5000, ...range });
  expect(count).toMatchObject({ lines: 3, matched: 3 });
  expect(notices).toEqual([
    { kind: 'exited', channel: 'gen1', pid: undefined, monoMs: 5000 },
    { kind: 'started', channel: 'gen1', pid: 4127, monoMs: 5000 },
    { kind: 'exited', channel: 'pull1', pid: undefined, monoMs: 5000 },
  ]);
  expect(symptoms.map(({ channel, kind }) => [channel, kind])).toEqual([['gen1', 'process_exit_nonzero']]);
});

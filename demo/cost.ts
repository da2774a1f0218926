/** Measures how much of a core one channel of the demo needs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ReeveError } from '../src/core/errors.ts';
import { type ChannelSettings, encodingOf, PICTURE } from './channels.ts';

const PICTURE_S = 4;

/**
 * How much of one core this machine needs to encode a generated channel so, measured on a few seconds of it: 0.2 is a
 * fifth. Throws ENGINE_ANSWER_INVALID when ffmpeg does not report it.
 */
export async function encodingCost(ffmpeg: string, settings: ChannelSettings): Promise<number> {
  const unpaced = PICTURE.filter((arg) => arg !== '-re');
  const args = ['-nostdin', '-hide_banner', '-benchmark', ...unpaced, '-t', String(PICTURE_S)];
  const { stderr } = await promisify(execFile)(ffmpeg, [...args, ...encodingOf(settings), '-f', 'null', '-']);
  const [, userS, systemS] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
  if (userS === undefined) throw new ReeveError('ENGINE_ANSWER_INVALID', 'ffmpeg -benchmark reported no CPU time');
  return (Number(userS) + Number(systemS)) / PICTURE_S;
}

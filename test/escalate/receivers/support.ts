/** Receivers built as the daemon builds them: from the text of a configuration. */
import { onTestFinished } from 'vitest';
import { receiversOf } from '../../../src/app/receivers.ts';
import type { Environment } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { noticeOf } from '../../../src/escalate/due.ts';
import type { Notice, NoticeKind, Receiver } from '../../../src/escalate/receiver.ts';
import { formatProblem } from '../../../src/config/check.ts';
import { loadText } from '../../config/support.ts';
import { fold, opened, raisedFact, resolvedFact } from '../support.ts';

/** The receiver that one line of YAML describes. */
export function receiverOf(line: string, env: Environment = {}): Receiver {
  const { config, problems } = loadText(`version: 1\nreceivers:\n  - ${line}\n`, env);
  if (config === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  return receiversOf(config, { clock: systemClock, building })[0]!;
}

/** A message about one page, with parts of it changed. */
export function noticeFor(what: NoticeKind = 'trigger', change: Partial<Notice> = {}): Notice {
  const end = what === 'resolve' ? [[2, resolvedFact()] as const] : [];
  const page = fold([[1, raisedFact('esc-1')], ...end]).pages[0]!;
  return { ...noticeOf(page, 'pager', what), ...change };
}

/** Never aborts. */
export const CALM = AbortSignal.any([]);

/** A dispatcher on the real clock, started. */
export function dispatching(receiver: Receiver) {
  const time = { clock: systemClock, advance: () => Promise.resolve(0), jumpWall: () => undefined };
  const all = opened([receiver], { time, attemptMs: 5_000 });
  onTestFinished(() => all.dispatcher[Symbol.asyncDispose]());
  all.dispatcher.start();
  return all;
}

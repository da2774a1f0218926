import { describe, expect, it } from 'vitest';
import { loadText, problemLines } from '../support.ts';

const HEAD = `version: 1
engines: [{ id: e, kind: supervisor, url: "http://127.0.0.1:1/RPC2" }]
channels: [{ id: news, engine: e, group: live }]
receivers: [{ id: pager, kind: webhook, url: "http://127.0.0.1/" }, { id: boss, kind: ntfy, topic: t }]
routes:
`;
const problemsOf = (routes: string) => problemLines(loadText(`${HEAD}${routes}`).problems);

describe('routes', () => {
  it('are read with their defaults', () => {
    const { config, problems } = loadText(`${HEAD}  - match:
      severity: [critical]
      group: [live]
      classification: [output_stalled]
      hours: { from: "22:00", to: "06:00" }
    receivers: [pager]
    unacknowledged: [{ after: 10m, receivers: [boss] }]
  - receivers: [boss]
`);
    expect(problems).toEqual([]);
    expect(config?.routes).toEqual([
      {
        match: {
          severity: ['critical'],
          group: ['live'],
          classification: ['output_stalled'],
          hours: { from: 1_320, to: 360, days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], timezone: 'UTC' },
        },
        receivers: ['pager'],
        unacknowledged: [{ afterMs: 600_000, receivers: ['boss'] }],
      },
      { match: undefined, receivers: ['boss'], unacknowledged: [] },
    ]);
  });

  it('may be left out', () => {
    expect(loadText('version: 1\n').config?.routes).toEqual([]);
  });

  it.each([
    [
      '  - match: { severity: [critical] }\n    receivers: [pager]\n',
      '6:12 routes.0.match: a page that no route takes would be lost (end the list with a route that has receivers: and no match:)',
    ],
    [
      '  - receivers: [pager]\n  - receivers: [boss]\n',
      '6:5 routes.0: takes every page, so no route after it is ever reached (give it match:, or put it last)',
    ],
    ['  - receivers: [pagr]\n', '6:17 routes.0.receivers.0: there is no receiver pagr (did you mean pager?)'],
    ['  - receivers: []\n', '6:16 routes.0.receivers: expected at least 1 entries, got 0 (Who hears of them at once.)'],
    [
      '  - { match: { group: [life] }, receivers: [pager] }\n  - receivers: [pager]\n',
      '6:24 routes.0.match.group.0: there is no group life (did you mean live?)',
    ],
    [
      '  - { match: {}, receivers: [pager] }\n  - receivers: [pager]\n',
      '6:14 routes.0.match: expected severity, group, classification or hours, got nothing (leave match out for every page)',
    ],
    [
      '  - { receivers: [pager], unacknowledged: [{ after: 5m, receivers: [pager] }] }\n',
      '6:68 routes.0.unacknowledged.0.receivers: these receivers hear of the page at once already (name another one)',
    ],
    [
      '  - { match: { hours: { from: "08:00", to: "08:00" } }, receivers: [pager] }\n  - receivers: [pager]\n',
      '6:44 routes.0.match.hours.to: the hours end as they begin (write "24:00" for the end of the day)',
    ],
    [
      '  - { match: { hours: { from: 8, to: "09:00" } }, receivers: [pager] }\n  - receivers: [pager]\n',
      '6:31 routes.0.match.hours.from: expected a time of day, got the number 8 (write it in quotes: "08:00", "17:30" or "24:00")',
    ],
    [
      '  - { match: { hours: { from: "08:00", to: "09:00", timezone: Mars } }, receivers: [pager] }\n  - receivers: [pager]\n',
      '6:63 routes.0.match.hours.timezone: expected a time zone, got "Mars" (write a name such as Europe/Berlin or UTC)',
    ],
  ])('that read %j are refused with their place', (routes, problem) => {
    expect(problemsOf(routes)).toContain(problem);
  });
});

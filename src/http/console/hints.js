'use strict';
const REFRESH_MS = 5000;
const EXCERPT_CHARS = 120;
const BUCKETS = ['staging', 'production', 'demoted', 'unbucketed'];
const byId = (id) => document.getElementById(id);
// The session of the console: whoever has signed in there is signed in here.
let session = sessionStorage.getItem('reeve-session') || '';
let notice = '';
let timer = 0;

function cell(content, name = 'td') {
  const made = document.createElement(name);
  if (typeof content === 'object') made.append(content);
  else made.textContent = content;
  return made;
}

function fill(id, head, rows, empty) {
  const table = byId(id);
  table.replaceChildren();
  if (rows.length === 0) return table.append(Object.assign(document.createElement('caption'), { textContent: empty, className: 'none' }));
  for (const [index, cells] of [head, ...rows].entries()) {
    const line = document.createElement('tr');
    line.append(...cells.map((one) => cell(one, index === 0 ? 'th' : 'td')));
    table.append(line);
  }
}

/** How large the change of the score is, as a bar beside its number. */
function bar(uplift) {
  const both = document.createElement('span');
  const meter = Object.assign(document.createElement('meter'), { min: 0, max: 1 });
  meter.value = Math.min(1, Math.abs(uplift));
  both.append((uplift < 0 ? '−' : '+') + Math.abs(uplift).toFixed(3) + ' ', meter);
  return both;
}

async function ask(path) {
  const answer = await fetch(path, { headers: { 'x-reeve-csrf': session }, cache: 'no-store' });
  if (answer.status === 401) throw Object.assign(new Error('token'), { login: true });
  if (!answer.ok) throw new Error(path + ' answered ' + answer.status);
  return answer.json();
}

const HEALTH = ['version', 'router_backend', 'cluster_count', 'embedding_dim', 'similarity_floor', 'bridge_index_mtime', 'blind_spot_count'];

function paint(health, stats, spots) {
  byId('login').hidden = true;
  byId('main').hidden = false;
  byId('state').textContent = health.cluster_count + ' clusters, ' + health.blind_spot_count + ' blind spots';
  fill('health', ['what', 'value'], HEALTH.map((name) => [name, String(health[name] ?? 'none')]), '');
  const chosen = byId('bucket').value;
  const rows = BUCKETS.filter((bucket) => chosen === '' || chosen === bucket).flatMap((bucket) =>
    Object.entries(stats[bucket]).map(([pattern, one]) => [bucket, pattern, String(one.n), bar(one.avg_uplift), one.win_rate.toFixed(2), one.last_seen_iso]),
  );
  fill('uplift', ['bucket', 'pattern', 'n', 'avg_uplift', 'win_rate', 'last_seen'], rows, 'no outcome yet');
  const seen = spots.active.map((one) => [one.prefix_hash.slice(0, 12), String(one.count), one.last_seen, one.sample_excerpt.slice(0, EXCERPT_CHARS)]);
  fill('spots', ['prefix_hash', 'count', 'last_seen', 'sample'], seen, 'none in the last ' + spots.window_seconds + ' s');
}

async function refresh() {
  clearTimeout(timer);
  try {
    paint(await ask('/api/v1/hints/health'), await ask('/api/v1/hints/stats'), await ask('/api/v1/hints/blind_spots'));
  } catch (error) {
    byId('state').textContent = error.login ? notice || 'a token is needed' : 'no answer: ' + error.message;
    if (error.login) {
      byId('login').hidden = false;
      byId('main').hidden = true;
      return;
    }
  }
  timer = setTimeout(refresh, REFRESH_MS);
}

/** The token goes over once, for a session; from then on the browser has nothing that works elsewhere. */
async function signIn(token) {
  // What cannot stand in a header is none: asking with it fails as if nobody answered.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    notice = 'this token is not known, or may not look';
    session = '';
    return;
  }
  const answer = await fetch('/api/v1/session', { method: 'POST', headers: { authorization: 'Bearer ' + token } });
  notice = answer.ok ? '' : 'this token is not known, or may not look';
  session = answer.ok ? (await answer.json()).csrf : '';
  if (session) sessionStorage.setItem('reeve-session', session);
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  signIn(token).catch(() => { notice = 'no answer: try again'; }).then(refresh);
});
byId('bucket').addEventListener('change', refresh);
refresh();

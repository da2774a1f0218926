'use strict';
const REFRESH_MS = 2000;
/** What stands still, or lies behind a cable that was pulled, never answers: then what is shown must not look new. */
const ANSWER_MS = 5000;
const byId = (id) => document.getElementById(id);
// Half of a session, worth nothing without the cookie that no script can read. The token itself is kept nowhere.
let session = sessionStorage.getItem('reeve-session') || '';
let notice = '';
let shownAt = 0;
let timer = 0;
/** So many channels that play are listed; where there are more, they wait behind a button, and nothing else does. */
const PLAYING_MAX = 30;
let isAllShown = false;
/** What changes something is pressed twice: the first press says what the second will do, and is forgotten after this. */
const ARMED_MS = 6000;
let armed = { name: '', until: 0 };
/** Every scope of this session. The server asks again; here it only spares buttons that would be refused. */
let may = [];
/** While a finger is down nothing is painted anew under it; one that was never seen to leave counts no longer than this. */
const PRESS_MS = 1500;
let pressedAt = 0;

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
/** Only a long text is broken within its words, so that names stay whole. */
const LONG = 48;
const cell = (text, kind = String(text).length > LONG ? 'long' : undefined) => element('td', text, kind);

/** 9 s, 4 min, 1 h 6 min, 3 d 2 h: what a tired person reads at once. */
function lasting(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return seconds + ' s';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? hours + ' h ' + (minutes % 60) + ' min' : Math.floor(hours / 24) + ' d ' + (hours % 24) + ' h';
}

function fill(id, head, rows, empty) {
  const table = byId(id);
  table.replaceChildren();
  if (rows.length === 0) return table.append(element('caption', empty, 'none'));
  const top = element('tr');
  for (const name of head) {
    const title = element('th', name);
    title.scope = 'col';
    top.append(title);
  }
  table.append(top);
  for (const row of rows) {
    const line = element('tr');
    row.forEach((one, index) => { one.dataset.head = head[index]; });
    line.append(...row);
    table.append(line);
  }
}

async function ask(path) {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(path, { headers: { 'x-reeve-csrf': session }, cache: 'no-store', signal });
  if (answer.status === 401) throw Object.assign(new Error('token'), { login: true });
  if (!answer.ok) throw new Error(path + ' answered ' + answer.status);
  return answer.json();
}

const FREEZE = { name: 'freeze', scope: 'operate', label: 'Freeze: no change by Reeve until thawed', path: '/api/v1/freeze', body: {} };
const THAW = { name: 'thaw', scope: 'operate', label: 'Thaw', path: '/api/v1/thaw', body: {} };
const answersTo = ({ id, what }) => [
  { name: 'yes ' + id, scope: 'approve', label: 'Yes: ' + what, path: '/api/v1/approvals/' + encodeURIComponent(id), body: { yes: true } },
  { name: 'no ' + id, scope: 'approve', label: 'No', path: '/api/v1/approvals/' + encodeURIComponent(id), body: { yes: false } },
];

const ackOf = ({ key }) => ({ name: 'ack ' + key, scope: 'ack', label: 'I have it: do not repeat this page', path: '/api/v1/ack', body: { key } });
/** The loudest come first; the count of the others is told. */
const PAGES_MAX = 20;
function pageText({ severity, summary, open_ms, acked, delivered_to }) {
  const had = acked ? ' ' + acked.who + ' has had it for ' + lasting(acked.ago_ms) + '.' : '';
  const unheard = delivered_to.length === 0 ? ' No receiver has taken it yet.' : '';
  return 'Page (' + severity + '), open for ' + lasting(open_ms) + ': ' + summary + (/[.…]$/.test(summary) ? '' : '.') + had + unheard;
}

/** What waits for a person, each with the command that ends it, and what may be pressed for it. */
function notesOf(status) {
  const notes = [];
  const note = (text, commands = [], orders = []) => notes.push({ text, commands, orders });
  for (const one of status.approvals || []) {
    const eyes = one.yes_needed > 1 ? ' (' + one.yes_needed + ' people must say yes; so far: ' + ((one.yes_by || []).join(', ') || 'nobody') + ')' : '';
    const about = (one.classification ? ', because of ' + one.classification : '') + (one.incident ? ' (' + one.incident + ')' : '');
    // What speaks against a yes may pass before the question does.
    const but = one.refused ? '. The guard would refuse it now: ' + one.refused.because + ' (' + one.refused.code + ')' : '';
    note('Waits for your yes or no, for ' + lasting(one.expires_in_ms) + ' more: ' + one.what + about + eyes + but, ['reeve approve ' + one.id, 'reeve deny ' + one.id], answersTo(one));
  }
  if (status.frozen) note('Frozen by ' + (status.freeze ? status.freeze.who + ': ' + status.freeze.because : 'a person') + '. Nothing is changed.', ['reeve thaw --because "…"'], [THAW]);
  for (const held of status.containment || []) {
    if (held.reason === 'operator_freeze') continue;
    const isJournals = held.reason === 'journal_error';
    const first = isJournals ? ' First the journal must be whole and take entries again.' : '';
    const release = ['reeve release ' + held.scope + ' --because "…"'];
    const ends = held.release_by_person ? ' It ends only when a person releases it.' : ' It ends by itself when its cause is gone.';
    note('Contained for ' + lasting(held.for_ms) + ': ' + held.scope + ' (' + held.reason + ') ' + (held.detail || '') + '.' + first + ends, isJournals ? ['reeve audit verify'].concat(held.release_by_person ? release : []) : release);
  }
  const pages = status.pages || [];
  for (const one of pages.slice(0, PAGES_MAX)) note(pageText(one), one.incident ? ['reeve trace ' + one.incident] : [], one.acked ? [] : [ackOf(one)]);
  if (pages.length > PAGES_MAX) note('And ' + (pages.length - PAGES_MAX) + ' more open pages.', ['reeve pages']);
  for (const problem of status.problems || []) note(problem);
  return notes;
}

const RANK = (channel) => (channel.healthy === false ? 0 : channel.healthy === true ? 2 : 1);
const health = (channel) => {
  if (channel.healthy === true) return cell('playing', 'ok');
  return channel.healthy === false ? cell(channel.classification || 'failing', 'bad') : cell('not known', 'warn');
};

/** Which leases and windows hold a channel, so that one that is left stopped explains itself. */
function heldOf(status, channel) {
  const about = ['channel:' + channel.id, 'group:' + channel.group, 'engine:' + channel.engine, 'fleet'];
  const now = (status.windows || []).find((one) => one.starts_in_ms === 0 && about.includes(one.scope));
  const leased = channel.leased_for_ms > 0 ? 'leased, nothing is changed here for ' + lasting(channel.leased_for_ms) + ' more; ' : '';
  return leased + (now ? 'in maintenance by ' + now.who + ' for ' + lasting(now.ends_in_ms) + ' more; ' : '');
}

/** Those that need a look, first; of a large fleet those alone, for what happened last stands below. */
function listed(status) {
  const channels = [...(status.channels || [])].sort((a, b) => RANK(a) - RANK(b));
  const plays = (one) => one.healthy === true && one.breaker === 'closed' && heldOf(status, one) === '';
  const playing = channels.filter(plays).length;
  byId('more').hidden = playing <= PLAYING_MAX;
  byId('more').textContent = isAllShown ? 'show less' : 'show the other ' + playing + ', which play';
  return playing <= PLAYING_MAX || isAllShown ? channels : channels.filter((one) => !plays(one));
}

const isArmed = (order) => armed.name === order.name && Date.now() < armed.until;
const labelOf = (order) => (isArmed(order) ? 'Press again. ' : '') + order.label;

/** One button, as it stands now. */
function dress(button, order) {
  button.textContent = labelOf(order);
  button.className = isArmed(order) ? 'bad' : '';
  button.dataset.order = order.name;
  button.onclick = () => press(order);
  return button;
}

async function press(order) {
  const isSecond = isArmed(order);
  armed = isSecond ? { name: '', until: 0 } : { name: order.name, until: Date.now() + ARMED_MS };
  if (isSecond) await send(order);
  refresh();
}

/** No answer means that nothing is known: the order may have arrived. */
async function send({ path, body }) {
  const because = byId('because').value.trim() || 'from the console';
  const headers = { 'x-reeve-csrf': session, 'content-type': 'application/json' };
  const what = { method: 'POST', headers, body: JSON.stringify({ ...body, because }), signal: AbortSignal.timeout(ANSWER_MS) };
  try {
    const answer = await fetch(path, what);
    const told = await answer.json();
    byId('said').textContent = answer.ok ? told.said : 'Not done: ' + (told.because || told.message || 'refused with ' + answer.status);
    if (answer.ok) byId('because').value = '';
  } catch {
    byId('said').textContent = 'No answer. Whether it was done is shown above as soon as Reeve answers.';
  }
}

function paintAttention(notes) {
  if (Date.now() - pressedAt < PRESS_MS) return;
  const focused = document.activeElement?.dataset.order;
  const lines = notes.map(({ text, commands, orders }) => {
    const line = element('p', text);
    for (const command of commands) line.append(element('code', command));
    for (const order of orders) if (may.includes(order.scope)) line.append(dress(element('button'), order));
    return line;
  });
  byId('attention').replaceChildren(...(lines.length ? lines : [element('p', 'nothing', 'none')]));
  if (focused) document.querySelector('#attention [data-order="' + CSS.escape(focused) + '"]')?.focus();
}

function paint(status, recent) {
  byId('login').hidden = true;
  byId('leave').hidden = false;
  byId('main').hidden = false;
  const notes = notesOf(status);
  const incidents = status.incidents || [];
  const calm = incidents.length === 0 && notes.length === 0;
  const paged = status.last_delivery && status.last_delivery.seconds_ago !== null ? ', last page taken ' + lasting(status.last_delivery.seconds_ago * 1000) + ' ago' : '';
  byId('state').textContent = 'phase ' + status.phase + (status.frozen ? ', FROZEN' : '') + (calm ? ', all quiet' : ', ' + incidents.length + ' open') + paged;
  byId('state').className = calm ? 'ok' : 'bad';
  // An incident with its page is one thing.
  const told = (status.pages || []).filter((page) => incidents.some(({ id }) => id === page.incident)).length;
  const count = incidents.length + notes.length - told;
  document.title = (count ? '(' + count + ') ' : '') + 'Reeve';
  paintAttention(notes);
  byId('orders').hidden = !['operate', 'approve', 'ack'].some((scope) => may.includes(scope));
  byId('freeze').hidden = Boolean(status.frozen) || !may.includes('operate');
  dress(byId('freeze'), FREEZE);
  fill('incidents', ['incident', 'where', 'what', 'state', 'since', 'why'], incidents.map((one) => [cell(one.id), cell(one.scope), cell(one.classification), cell(one.state), cell(lasting(one.open_ms)), cell(one.because || '')]), 'none');
  const channels = listed(status);
  fill('channels', ['channel', 'health', 'why', 'starts (1 h)', 'breaker'], channels.map((one) => [cell(one.id), health(one), cell(heldOf(status, one) + (one.because || '')), cell(String(one.restart_count)), cell(one.breaker, one.breaker === 'closed' ? '' : 'warn')]), (status.channels || []).length ? 'all play' : 'none configured');
  fill('recent', ['incident', 'where', 'what', 'state', 'lasted'], recent.incidents.slice(0, 15).map((one) => [cell(one.id), cell(one.scope), cell(one.classification), cell(one.ending || one.state), cell(lasting(one.open_ms))]), 'nothing yet');
  shownAt = Date.now();
}

function complain(error) {
  const old = shownAt ? '; what you see is ' + Math.round((Date.now() - shownAt) / 1000) + ' seconds old' : '';
  const why = error.name === 'TimeoutError' ? 'none within ' + ANSWER_MS / 1000 + ' s' : error.message;
  byId('state').textContent = 'no answer: ' + why + old;
  byId('state').className = 'bad';
  document.title = '(?) Reeve';
}

async function refresh() {
  clearTimeout(timer);
  try {
    if (may.length === 0) may = (await ask('/api/v1/session')).may;
    paint(await ask('/api/v1/status'), await ask('/api/v1/incidents?limit=15'));
  } catch (error) {
    if (error.login) {
      byId('login').hidden = false;
      byId('leave').hidden = true;
      byId('main').hidden = true;
      byId('state').textContent = notice || (session ? 'the session is over: a token is needed' : 'a token is needed');
      document.title = 'Reeve';
      return;
    }
    complain(error);
  }
  timer = setTimeout(refresh, REFRESH_MS);
}

function keep(key) {
  session = key;
  may = [];
  if (key) sessionStorage.setItem('reeve-session', key);
  else sessionStorage.removeItem('reeve-session');
}

/** The token goes over once, for a session; from then on the browser has nothing that works elsewhere. */
async function signIn(token) {
  // What cannot stand in a header is none: asking with it fails as if nobody answered.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    notice = 'this token is not known';
    return keep('');
  }
  const answer = await fetch('/api/v1/session', { method: 'POST', headers: { authorization: 'Bearer ' + token } });
  notice = answer.ok ? '' : answer.status === 401 ? 'this token is not known' : 'this token may not look at the console';
  keep(answer.ok ? (await answer.json()).csrf : '');
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  signIn(token).catch(() => { notice = 'no answer: try again'; }).then(refresh);
});
byId('more').addEventListener('click', () => {
  isAllShown = !isAllShown;
  refresh();
});
byId('leave').addEventListener('click', async () => {
  await fetch('/api/v1/session/end', { method: 'POST', headers: { 'x-reeve-csrf': session } }).catch(() => undefined);
  keep('');
  notice = '';
  refresh();
});
addEventListener('pointerdown', () => { pressedAt = Date.now(); });
// The click comes after it, and must find its button.
for (const end of ['pointerup', 'pointercancel', 'blur']) addEventListener(end, () => setTimeout(() => { pressedAt = 0; }));
byId('orders').addEventListener('submit', (event) => event.preventDefault());
refresh();

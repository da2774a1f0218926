'use strict';
const byId = (id) => document.getElementById(id);
let token = sessionStorage.getItem('reeve-token') || '';
const cell = (text, kind) => { const td = document.createElement('td'); td.textContent = text; if (kind) td.className = kind; return td; };
function fill(id, head, rows, empty) {
  const table = byId(id); table.replaceChildren();
  if (rows.length === 0) { const caption = document.createElement('caption'); caption.className = 'none'; caption.textContent = empty; table.append(caption); return; }
  const tr = document.createElement('tr');
  for (const name of head) { const th = document.createElement('th'); th.scope = 'col'; th.textContent = name; tr.append(th); }
  table.append(tr);
  for (const row of rows) { const line = document.createElement('tr'); line.append(...row); table.append(line); }
}
async function ask(path) {
  const answer = await fetch(path, { headers: { authorization: 'Bearer ' + token } });
  if (answer.status === 401) throw Object.assign(new Error('token'), { login: true });
  if (!answer.ok) throw new Error(path + ' answered ' + answer.status);
  return answer.json();
}
const health = (channel) => channel.healthy === true ? cell('playing', 'ok') : channel.healthy === false ? cell(channel.classification || 'failing', 'bad') : cell('unknown', 'warn');
function paint(status, recent) {
  byId('login').hidden = true; byId('main').hidden = false;
  const calm = status.incidents.length === 0 && status.containment.length === 0 && !status.frozen;
  byId('state').textContent = 'phase ' + status.phase + (status.frozen ? ', FROZEN' : '') + (calm ? ', all quiet' : '');
  byId('state').className = calm ? 'ok' : 'bad';
  const notes = [];
  for (const held of status.containment) notes.push('Contained: ' + held.scope + ' (' + held.reason + ') ' + (held.detail || ''));
  for (const approval of status.approvals || []) notes.push('Waits for a yes: ' + approval.what + '  —  reeve approve ' + approval.id);
  for (const problem of status.problems || []) notes.push(problem);
  byId('attention').replaceChildren(...(notes.length ? notes : ['nothing']).map((text) => { const p = document.createElement('p'); p.textContent = text; if (!notes.length) p.className = 'none'; return p; }));
  fill('incidents', ['incident', 'where', 'what', 'state', 'for'], status.incidents.map((i) => [cell(i.id), cell(i.scope), cell(i.classification), cell(i.state), cell(Math.round(i.open_ms / 1000) + ' s')]), 'none');
  fill('channels', ['channel', 'health', 'why', 'restarts (1 h)', 'breaker'], status.channels.map((c) => [cell(c.id), health(c), cell(c.because || ''), cell(String(c.restart_count)), cell(c.breaker)]), 'none configured');
  fill('recent', ['incident', 'where', 'what', 'ended'], recent.incidents.slice(0, 15).map((i) => [cell(i.id), cell(i.scope), cell(i.classification), cell(i.ending || i.state)]), 'nothing yet');
}
async function refresh() {
  try { paint(await ask('/api/v1/status'), await ask('/api/v1/incidents?limit=15')); }
  catch (error) {
    if (error.login) { byId('login').hidden = false; byId('main').hidden = true; byId('state').textContent = token ? 'this token is not known' : 'a token is needed'; return; }
    byId('state').textContent = 'no answer: ' + error.message; byId('state').className = 'bad';
  }
  setTimeout(refresh, 2000);
}
byId('login').addEventListener('submit', (event) => { event.preventDefault(); token = byId('token').value.trim(); sessionStorage.setItem('reeve-token', token); refresh(); });
refresh();

// A peer made of Node's ws library: `node peer.js URL FINGERPRINT`, the token on standard input. Prints one line of JSON.
'use strict';
const crypto = require('crypto');
const WebSocket = require('ws');

const [url, pin] = process.argv.slice(2);
const token = require('fs').readFileSync(0, 'utf8').trim();
const seen = { types: [], snapshots: 0, results: {} };
let key;

function finish(error) {
  if (error) seen.error = String(error);
  console.log(JSON.stringify(seen));
  process.exit(error ? 1 : 0);
}
setTimeout(() => finish('timed out'), 20000);

const socket = new WebSocket(url, { rejectUnauthorized: false, perMessageDeflate: false, maxPayload: 65536 });
socket.on('upgrade', (response) => {
  if (!pin) return;
  const certificate = response.socket.getPeerCertificate(true).raw;
  seen.pinned = crypto.createHash('sha256').update(certificate).digest('hex') === pin;
  if (!seen.pinned) finish('another certificate');
});
socket.on('open', () => socket.send(Buffer.from(JSON.stringify({ type: 'auth', protocol: 1, token }))));
socket.on('pong', () => { seen.pong = true; });
socket.on('error', finish);
socket.on('close', (code, reason) => {
  seen.closed = [code, reason.toString()];
  finish();
});

function command(requestId, fields) {
  socket.send(JSON.stringify({ type: 'command', protocol: 1, requestId, command: fields }));
}

socket.on('message', (data, isBinary) => {
  if (isBinary) return finish('the node answered in binary');
  const message = JSON.parse(data.toString());
  if (seen.types.length < 2) seen.types.push(message.type);
  if (message.type === 'ready') {
    seen.ready = message;
    socket.ping('hello');
  }
  if (message.type === 'snapshot') {
    seen.snapshots += 1;
    const slots = message.snapshot.slots;
    if (seen.snapshots === 1) {
      key = slots[2].threadKey;
      seen.titles = slots.map((slot) => slot.title);
      command('press', { kind: 'agent', slot: 2, threadKey: key, act: 1 });
      command('release', { kind: 'agent', slot: 2, threadKey: key, act: 0 });
      command('wrong', { kind: 'keycap', keycapId: 'NOPE' });
      socket.send('{"type":"from-the-future","protocol":1}');
      socket.send('not JSON');
    } else if (slots.some((slot) => slot.selected && slot.threadKey === key) && seen.results.wrong) {
      seen.selected = true;
      socket.close(1000, 'enough');
    }
  }
  if (message.type === 'result') seen.results[message.requestId] = message;
});

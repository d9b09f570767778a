import assert from 'node:assert/strict';
import { createSocket, Socket as DatagramSocket } from 'node:dgram';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemSource as source } from '../../src/http/request-source.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { contexts } from '../../test/harness/contexts.ts';
import { onBothEngines } from '../../test/harness/engines.ts';
import { createEventsLog } from './events-log.ts';
import { followEvents } from './follow-events.ts';
import { createUdpSyslog } from './syslog.ts';

interface Line {
  readonly type: string;
  readonly created_at: string;
  readonly data: unknown;
}

const linesOf = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const typesOf = (path: string) => linesOf(path).map(({ type }) => type);

onBothEngines('EVENTS_LOG', (engine) => {
  const make = contexts(engine);

  async function logging(setting: (dir: string) => string) {
    const bare = await make();
    const { dir } = bare.testDatabase;
    const config = { ...bare.config, eventsLog: setting(dir) };
    const eventsLog = createEventsLog({ ...bare, config });
    assert.ok(eventsLog);
    return { ...bare, config, eventsLog, dir, db: bare.database.db };
  }

  it('writes each event as a line when its transaction has committed', async () => {
    const context = await logging((dir) => `file:${join(dir, 'events.log')}`);
    const { db, eventsLog, dir } = context;
    const path = join(dir, 'events.log');
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let recorded = () => {};
    const isRecorded = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    const late = db.transaction().execute(async (tx) => {
      await recordEvent(context, tx, { type: 'late', source });
      recorded();
      await held;
    });
    await isRecorded;
    await eventsLog.flush();
    assert.ok(!existsSync(path), 'an event is written only after the commit');
    commit();
    await late;
    const undone = db.transaction().execute(async (tx) => {
      await recordEvent(context, tx, { type: 'undone', source });
      throw new Error('no');
    });
    await assert.rejects(undone);
    await recordEvent(context, db, { type: 'plain', source, data: { text: 'two\nlines\u2028' } });
    await eventsLog.close();
    assert.deepEqual(typesOf(path), ['late', 'plain']);
    assert.deepEqual(linesOf(path)[1]?.data, { text: 'two\nlines\u2028' });
    assert.equal(linesOf(path)[1]?.created_at, '2030-01-01T00:00:00.000Z');
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('opens a new file after a log rotation, and loses no event while it cannot write', async () => {
    const context = await logging((dir) => `file:${join(dir, 'logs', 'events.log')}`);
    const { db, eventsLog, dir } = context;
    const path = join(dir, 'logs', 'events.log');
    await recordEvent(context, db, { type: 'one', source });
    await eventsLog.flush();
    mkdirSync(join(dir, 'logs'));
    await eventsLog.flush();
    assert.deepEqual(typesOf(path), ['one']);
    renameSync(path, `${path}.1`);
    await recordEvent(context, db, { type: 'two', source });
    await eventsLog.close();
    assert.deepEqual([typesOf(`${path}.1`), typesOf(path)], [['one'], ['two']]);
  });

  it('is followed in order, without gaps and repetitions, regardless of how late a transaction ends', async () => {
    const context = await make();
    const { db } = context.database;
    const nextEvents = followEvents(context.database, {}, { now: context.now(), knownEvents: [] });
    const types = async () => (await nextEvents()).map(({ type }) => type);
    /** Other transactions may run on the same server. */
    const firstResponse = async () => {
      for (;;) {
        const found = await types();
        if (found.length > 0) return found;
      }
    };
    await recordEvent(context, db, { type: 'first', source });
    assert.deepEqual(await firstResponse(), ['first']);
    // SQLite has one writer, so no transaction can commit before an earlier one.
    const tx = engine === 'postgres' ? await db.startTransaction().execute() : undefined;
    await recordEvent(context, tx ?? db, { type: 'slow', source });
    context.advance(300_000);
    await recordEvent(context, db, { type: 'quick', source });
    if (tx) for (let i = 0; i < 3; i++) assert.deepEqual(await types(), []);
    // A second, later transaction keeps the next read from being complete.
    const later = tx && (await db.startTransaction().execute());
    if (later) await recordEvent(context, later, { type: 'undone', source });
    await recordEvent(context, db, { type: 'last', source });
    await tx?.commit().execute();
    if (later) assert.deepEqual(await firstResponse(), ['slow', 'quick']);
    await later?.rollback().execute();
    assert.deepEqual(await firstResponse(), later ? ['last'] : ['slow', 'quick', 'last']);
    assert.deepEqual(await types(), []);
  });
});

describe('EVENTS_LOG to syslog', () => {
  const make = contexts('sqlite');
  const form = /^<8[45]>1 2030-01-01T00:00:00\.000Z [\x21-\x7e]+ gatehouse \d+ (login\.failed|logout) - (\{.*\})$/;

  async function send(setting: string): Promise<void> {
    const context = await make();
    const config = { ...context.config, eventsLog: setting };
    const eventsLog = createEventsLog({ ...context, config });
    for (const type of ['login.failed', 'logout']) {
      await recordEvent({ ...context, eventsLog }, context.database.db, { type, source, data: { from: 'ü' } });
    }
    await eventsLog?.close();
  }

  it('sends one datagram per event (RFC 5424 and 5426)', async () => {
    const server = createSocket('udp4');
    const heard: string[] = [];
    const both = new Promise<void>((resolve) => {
      server.on('message', (message) => {
        if (heard.push(message.toString()) === 2) resolve();
      });
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    await send(`syslog://127.0.0.1:${server.address().port}`);
    await both;
    server.close();
    for (const message of heard) assert.match(message, form);
    assert.ok(heard[0]?.startsWith('<84>') && heard[1]?.startsWith('<85>'), 'a failure has a higher severity');
    assert.deepEqual(JSON.parse(form.exec(heard[0] as string)?.[2] ?? '').data, { from: 'ü' });
  });

  it('fails when no socket can be opened, as without free file descriptors', async (t) => {
    t.mock.method(DatagramSocket.prototype, 'bind', function (this: DatagramSocket) {
      setImmediate(() => this.emit('error', new Error('bind EMFILE')));
      return this;
    });
    const syslog = createUdpSyslog({ host: '127.0.0.1', port: 514 });
    const event = { type: 'logout', created_at: 0, data: '{}' } as EventRow;
    await assert.rejects(syslog.write([event]), /EMFILE/);
  });

  it('sends each message after its length over TCP (RFC 6587)', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    const stream = new Promise<Buffer>((resolve) => {
      server.on('connection', (socket) => {
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
        socket.on('end', () => resolve(Buffer.concat(chunks)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await send(`syslog+tcp://127.0.0.1:${(server.address() as { port: number }).port}`);
    let rest = await stream;
    server.close();
    const heard: string[] = [];
    while (rest.length > 0) {
      const space = rest.indexOf(' ');
      const end = space + 1 + Number(rest.subarray(0, space).toString());
      heard.push(rest.subarray(space + 1, end).toString());
      rest = rest.subarray(end);
    }
    assert.equal(heard.length, 2);
    for (const message of heard) assert.match(message, form);
  });
});

/**
 * Two PostgreSQL servers with one table over both: half of its rows are in the near one, the other half in the far one,
 * which the near one queries through postgres_fdw. Uses the programs of PostgreSQL, and pgvector, of this machine.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, createWriteStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export const TABLE = 'articles';

/** The rows that a search of the far server examines. Settings of a near session do not reach it. */
const FAR_EF = 100;
const START_MS = 60_000;

export interface Row {
  readonly id: number;
  readonly text: string;
  readonly vector: Float32Array;
}

export class TwoServers {
  readonly port: number;
  readonly #servers: readonly ChildProcess[];

  private constructor(port: number, servers: readonly ChildProcess[]) {
    this.port = port;
    this.#servers = servers;
  }

  /**
   * Starts both in their own folders in `folder`, and fills new ones.
   *
   * @param count the number of rows
   * @param rows returns those from an id on; called for a few thousand at a time
   * @throws Error if a server does not start
   */
  static async start(
    folder: string,
    count: number,
    rows: (from: number, to: number) => Promise<Row[]>,
  ): Promise<TwoServers> {
    const isNew = !existsSync(path.join(folder, 'filled'));
    const [near, far] = [
      await startServer(path.join(folder, 'near')),
      await startServer(path.join(folder, 'far')),
    ];
    const servers = new TwoServers(near.port, [near.child, far.child]);
    try {
      if (isNew) await fill(folder, near.port, far.port, count, rows);
      await connectBoth(near.port, far.port);
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      if (server.exitCode !== null) continue;
      const ended = once(server, 'exit');
      // A fast shutdown, which disconnects clients.
      server.kill('SIGINT');
      await ended;
    }
  }
}

/** @returns connected to the database `postgres` */
export async function connectTo(port: number): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'postgres', user: 'postgres' });
  await client.connect();
  return client;
}

async function startServer(data: string): Promise<{ port: number; child: ChildProcess }> {
  const programs = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
  const port = await freePort();
  const owner = ownerOf(data);
  if (!existsSync(path.join(data, 'PG_VERSION')))
    execFileSync(
      path.join(programs, 'initdb'),
      ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8'],
      {
        ...owner,
        stdio: 'ignore',
      },
    );
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    shared_buffers: '2GB',
    maintenance_work_mem: '2GB',
    max_wal_size: '8GB',
    fsync: 'off',
  };
  const child = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...owner, stdio: 'ignore' },
  );
  await answering(child, port);
  return { port, child };
}

/** PostgreSQL refuses to run as root, so root gives the folder to the system's user for it. */
function ownerOf(data: string): { readonly uid?: number; readonly gid?: number } {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const [uid, gid] = [id('-u'), id('-g')];
  if (statSync(data).uid !== uid) chownSync(data, uid, gid);
  chmodSync(path.dirname(data), 0o755);
  return { uid, gid };
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await delay(200)) {
    const client = await connectTo(port).catch(() => undefined);
    if (client === undefined) continue;
    await client.end();
    return;
  }
  child.kill('SIGKILL');
  throw new Error('PostgreSQL does not start here.');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function fill(
  folder: string,
  near: number,
  far: number,
  count: number,
  rows: (from: number, to: number) => Promise<Row[]>,
): Promise<void> {
  const half = Math.floor(count / 2);
  await fillOne(near, path.join(folder, 'near.copy'), 0, half, rows);
  await fillOne(far, path.join(folder, 'far.copy'), half, count, rows);
  await using(near, async (client) => {
    const { type } = await columnOf(client);
    await client.query(`CREATE EXTENSION postgres_fdw`);
    await client.query(`CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (
      host '127.0.0.1', port '${far}', dbname 'postgres', extensions 'vector', fetch_size '${FAR_EF}',
      options '-c hnsw.ef_search=${FAR_EF} -c enable_seqscan=off')`);
    await client.query(`CREATE USER MAPPING FOR postgres SERVER far OPTIONS (user 'postgres')`);
    await client.query(
      `CREATE TABLE ${TABLE} (id bigint, text text, embedding ${type}) PARTITION BY RANGE (id)`,
    );
    await client.query(`ALTER TABLE ${TABLE} ATTACH PARTITION part FOR VALUES FROM (0) TO (${half})`);
    await client.query(`CREATE FOREIGN TABLE far_part PARTITION OF ${TABLE} FOR VALUES FROM (${half}) TO (${count})
      SERVER far OPTIONS (table_name 'part')`);
  });
  createWriteStream(path.join(folder, 'filled')).end();
}

/** Loads the rows from a file: COPY is many times faster than INSERT. */
async function fillOne(
  port: number,
  file: string,
  from: number,
  to: number,
  rows: (from: number, to: number) => Promise<Row[]>,
): Promise<void> {
  const out = createWriteStream(file, { mode: 0o644 });
  let dimensions = 0;
  for (let next = from; next < to; next += BATCH)
    for (const { id, text, vector } of await rows(next, Math.min(next + BATCH, to))) {
      dimensions = vector.length;
      if (!out.write(`${id}\t${text}\t[${vector.join(',')}]\n`)) await once(out, 'drain');
    }
  out.end();
  await once(out, 'close');
  await using(port, async (client) => {
    await client.query('CREATE EXTENSION vector');
    await client.query(`CREATE TABLE part (id bigint NOT NULL, text text, embedding vector(${dimensions}))`);
    await client.query(`COPY part FROM '${file}'`);
    await client.query('CREATE INDEX ON part USING hnsw (embedding vector_cosine_ops)');
    await client.query('ALTER TABLE part ADD PRIMARY KEY (id)');
    await client.query('ANALYZE part');
  });
}

const BATCH = 5_000;

/** Ports change between runs. */
async function connectBoth(near: number, far: number): Promise<void> {
  await using(near, (client) => client.query(`ALTER SERVER far OPTIONS (SET port '${far}')`));
}

async function columnOf(client: pg.Client): Promise<{ type: string }> {
  const { rows } = await client.query<{ type: string }>(
    `SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = 'part'::regclass AND attname = 'embedding'`,
  );
  return rows[0]!;
}

async function using(port: number, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await connectTo(port);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

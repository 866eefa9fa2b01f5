/**
 * Tests docs/deploy/compose.yaml with podman-compose, behind Caddy with docs/deploy/Caddyfile: the first account, a
 * report, the end of each part, a newer image, and a backup that becomes the data of other containers. The image of
 * PostgreSQL is made from Debian's packages and takes the variables of the official one.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testCertificate } from '../../packages/server/testing/certificate.ts'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'
import { serviceImage } from '../../testing/machines/containers.ts'
import { imageOf, nodeImage } from '../../testing/machines/images.ts'
import { containerName } from '../../testing/machines/leftovers.ts'
import { canBoot } from '../../testing/machines/machine.ts'
import { engineOptions, podman, podmanOutput, run, runOptions } from '../../testing/machines/podman.ts'

const database = `set -e
export PATH=/usr/lib/postgresql/15/bin:$PATH
data=/var/lib/postgresql/15/data
if [ ! -s $data/PG_VERSION ]; then
  initdb -D $data -U "$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD") --auth-local=trust --encoding=UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  pg_ctl -D $data -o '-c listen_addresses=' -w start
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -D $data -m fast -w stop
fi
exec postgres -D $data -c 'listen_addresses=*'`
const othersText = `FROM ${nodeImage}
RUN mkdir /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \\
    && apt-get update && apt-get install -y --no-install-recommends postgresql-15 caddy && rm -rf /var/lib/apt/lists/*
USER postgres
STOPSIGNAL SIGINT
VOLUME /var/lib/postgresql
CMD ${JSON.stringify(['bash', '-c', database])}
`

const example = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
/** An example with the values of this test. Each value to replace must be in it. */
function filled(text: string, values: Record<string, string>): string {
  for (const [from, to] of Object.entries(values)) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  return text
}

describe.skipIf(!canBoot())('the service and PostgreSQL, started by podman-compose', () => {
  let others: string
  let image: string
  let newer: string
  beforeAll(async () => {
    others = await imageOf(othersText)
    image = await serviceImage('7.1.0')
    newer = await serviceImage('7.2.0')
  })

  test('work behind Caddy, survive the end of each part and an update, and move by a backup', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [port, tls] = [await freePort(), await freePort()]
    const origin = `https://localhost:${tls}`
    writeFileSync(
      join(folder, '.env'),
      `SVC_BASE_URL=${origin}\nPOSTGRES_PASSWORD=secret4711\nSVC_TRUSTED_PROXIES=10.89.0.0/16\n`,
    )
    const engine = join(folder, 'podman')
    writeFileSync(engine, `#!/bin/sh\nexec podman ${(await engineOptions()).join(' ')} "$@"\n`, { mode: 0o755 })
    const write = (of: string) =>
      writeFileSync(
        join(folder, 'compose.yaml'),
        filled(example('compose.yaml'), {
          'image: svc\n': `image: ${of}\n`,
          'image: postgres:18': `image: ${others}`,
          '127.0.0.1:8787:8787': `127.0.0.1:${port}:8787`,
        }),
      )
    /** A project of podman-compose, whose containers and volumes have names that begin with its own. */
    const project = () => {
      const name = containerName('compose')
      const limits = runOptions.filter((option) => !option.startsWith('--pull')).join(' ')
      const compose = async (...args: string[]) => {
        const before = ['--podman-path', engine, `--podman-run-args=${limits}`, '-p', name]
        const file = join(folder, 'compose.yaml')
        const { code, out, err } = await run('podman-compose', [...before, '-f', file, ...args], { seconds: 300 })
        if (code !== 0) throw new Error(`podman-compose ${args.join(' ')} ended with ${code}: ${err}${out}`)
        return out
      }
      onTestFinished(async () => {
        await podman(['rm', '-f', '-t', '0', `${name}_svc_1`, `${name}_database_1`])
        await podman(['volume', 'rm', '-f', `${name}_svc`, `${name}_database`])
        await podman(['network', 'rm', '-f', `${name}_default`])
      })
      const [svc, base] = [`${name}_svc_1`, `${name}_database_1`]
      const command = (...args: string[]) => podmanOutput(['exec', svc, 'svc-server', ...args])
      return { name, compose, svc, base, command }
    }

    write(image)
    const first = project()
    await first.compose('up', '-d')
    const proxy = containerName('caddy')
    writeFileSync(join(folder, 'svc.crt'), testCertificate.cert)
    writeFileSync(join(folder, 'svc.key'), testCertificate.key)
    const site = filled(example('Caddyfile'), {
      '10.0.0.1:8787 10.0.0.2:8787': `127.0.0.1:${port}`,
      'Host svc.example.org': `Host localhost:${tls}`,
      'svc.example.org {': `${origin} {\n\ttls /proxy/svc.crt /proxy/svc.key`,
    })
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
    const place = ['--network=host', '--user=root', '--env=HOME=/tmp', '-v', `${folder}:/proxy:ro`]
    const caddy = ['caddy', 'run', '--adapter', 'caddyfile', '--config', '/proxy/Caddyfile']
    await podmanOutput(['run', '-d', '--name', proxy, ...runOptions, ...place, others, ...caddy])
    onTestFinished(async () => {
      await podman(['rm', '-f', '-t', '0', '-v', proxy])
    })

    const link = await eventually(
      'the log has the link for the first account',
      async () => {
        const { out, err } = await podman(['logs', first.svc])
        const token = /\/start\?token=(\S+)/.exec(out)?.[1]
        if (token === undefined) throw new Error(out + err)
        return token
      },
      { seconds: 120, everyMs: 500 },
    )
    const person = { name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' }
    const ask = (path: string, body?: object, headers: Record<string, string> = {}) => call(tls, path, body, headers)
    await eventually(
      'Caddy has seen that the service is there',
      async () => expect((await ask('/')).status).toBe(200),
      { seconds: 60, everyMs: 500 },
    )
    const made = await ask('/api/web/start', { token: link, ...person, workspace: 'North', slug: 'north' }, { origin })
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('north')])
    const { token } = JSON.parse(await first.command('agent', 'create', 'north/mail', '--json')) as { token: string }
    const reported = (label: string, of = token) =>
      ask('/api/agent/v1/report', { protocol: 1, state: { level: 'ok', label } }, { authorization: `Bearer ${of}` })
    const reports = (what: string, of = token) =>
      eventually(
        `a report is stored ${what}`,
        async () => {
          const { status, text } = await reported(what, of)
          expect([status, text]).toEqual([200, expect.anything()])
        },
        { seconds: 120, everyMs: 1000 },
      )
    await reports('first')
    await ask('/api/auth/sign-in/email', { email: person.email, password: 'a wrong one' }, { origin })
    const log = await podman(['logs', first.svc])
    const line = log.err.split('\n').find((one) => one.includes('"sign-in"')) ?? ''
    // Caddy runs on this machine, so its callers come from here, and not from the gateway of the containers.
    expect(line).toContain('127.0.0.1')

    for (const part of ['svc', 'database'] as const) {
      await first.compose('restart', part)
      await reports(`after a restart of ${part}`)
    }
    await podmanOutput(['restart', '-t', '5', proxy])
    await reports('after a restart of Caddy')
    for (const container of [first.svc, first.base, proxy]) {
      const pid = Number(await podmanOutput(['inspect', '--format', '{{.State.Pid}}', container]))
      process.kill(pid, 'SIGKILL')
      if (container === proxy) await podmanOutput(['start', proxy]) // The two others are started by their engine.
      await reports(`after a kill of ${container}`)
    }

    write(newer)
    await first.compose('down')
    await first.compose('up', '-d')
    await reports('after an update')
    expect(await first.command('--version')).toBe('7.2.0')

    const dump = ['pg_dump', '--format=custom', '--file=/tmp/svc.dump', '--username=svc', 'svc']
    await podmanOutput(['exec', first.base, ...dump])
    await podmanOutput(['cp', `${first.base}:/tmp/svc.dump`, folder])
    await podmanOutput(['cp', `${first.svc}:/var/lib/svc/data/secret`, folder])
    await first.compose('down')
    const next = project()
    await next.compose('up', '-d', 'database')
    await eventually(
      'the new database is there',
      async () => {
        await podmanOutput([
          'exec',
          next.base,
          'psql',
          '-h',
          '127.0.0.1',
          'postgres://svc:secret4711@127.0.0.1/svc',
          '-c',
          'select 1',
        ])
      },
      { seconds: 60, everyMs: 500 },
    )
    await podmanOutput(['cp', join(folder, 'svc.dump'), `${next.base}:/tmp/svc.dump`])
    const restore = ['pg_restore', '--exit-on-error', '--username=svc', '--dbname=svc', '/tmp/svc.dump']
    await podmanOutput(['exec', '--user=root', next.base, ...restore])
    const volume = ['-v', `${next.name}_svc:/var/lib/svc/data`, '-v', `${folder}:/backups:ro`]
    const copy = 'install -o svc -g svc -m 600 /backups/secret /var/lib/svc/data/secret'
    const asRoot = ['--user=root', '--entrypoint=sh']
    await podmanOutput(['run', '--rm', ...runOptions, ...asRoot, ...volume, newer, '-c', copy])
    const printed = await next.compose('run', '--rm', '-T', 'svc', 'restore', '--tokens-only')
    await next.compose('up', '-d')
    const fresh = /svc_agt_[\w-]+/.exec(printed)?.[0] ?? `no token in: ${printed}`
    await reports('with the new token', fresh)
    expect((await reported('with the old one')).status).toBe(401)
    expect(await next.command('workspace', 'list')).toContain('north')
  })
})

function call(port: number, path: string, body: object | undefined, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve) => {
    const sent = body && JSON.stringify(body)
    const req = request(
      {
        ...{ host: 'localhost', port, path, ca: testCertificate.cert, method: sent === undefined ? 'GET' : 'POST' },
        ...{ timeout: 10_000, headers: { ...headers, ...(sent && { 'content-type': 'application/json' }) } },
      },
      (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (part: string) => (text += part))
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
      },
    )
    req.on('timeout', () => req.destroy(new Error('no answer')))
    req.on('error', ({ message }) => resolve({ status: 0, text: message }))
    req.end(sent)
  })
}

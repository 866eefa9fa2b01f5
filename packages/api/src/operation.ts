/**
 * An operation of a person, described once: its route, who may do it, what it takes and gives, what it does, and which open pages hear of
 * it. The page's routes and client, the commands of `svc-server` and their help, and the tables in the documents come from this.
 */
import type { Reader } from './input.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Below `/api/web`, such as `POST /w/:slug/agents`. */
export type Route = `${Method} /${string}`

/** The parameters in a route's path. */
export type ParamsOf<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : R extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown

/**
 * Who may do it: somebody who has the link that the request names, who is signed in, who belongs to the workspace of the address, or
 * who is an admin there.
 */
export type Right = 'link' | 'person' | 'member' | 'admin'

/**
 * What open pages hear of: `list`: the lists of the workspace; `agent`: an agent's page; `report`: an agent's row, as after a report;
 * `rights`: streams whose right ended are closed.
 */
export type Notice = 'list' | 'agent' | 'report' | 'rights'
interface None {
  none: string
}

export interface Change {
  /** The actions that its lines in the activity have; or why it writes none. */
  audit: readonly string[] | None
  pages: readonly Notice[] | None
  /** What doing it again does: nothing more, a refusal, or the same once more. */
  again: 'same' | 'refused' | 'new'
}

/** The words of a command of `svc-server`. */
interface CommandWords {
  /** Such as `agent create`. */
  name: string
  /** Such as `<slug>` or `[values...]`, each with its explanation. */
  args?: readonly (readonly [name: string, says: string])[]
  /** Such as `--name <name>`, each with its explanation. */
  options?: readonly (readonly [flags: string, says: string])[]
}

export interface Operation<R extends Route = Route, Read = unknown, Sent = unknown, Given = unknown> {
  readonly route: R
  readonly right: Right
  /** Reads the query of a GET and the JSON of any other; undefined: nothing is taken. */
  readonly input: Reader<Read, Sent> | undefined
  /** Bytes that the body may have, where the usual 64 KB are too few. */
  readonly maxBytes?: number
  /** What it does, as a command's help says it. */
  readonly says: string
  readonly status: 200 | 201
  /** Undefined: it changes nothing. */
  readonly change: Change | undefined
  readonly command: CommandWords | undefined
  /** Why its route is written by hand; undefined where the description is all. */
  readonly apart?: string
  /** Only for the compiler. */
  readonly gives?: Given
}

interface Words {
  says: string
  right?: Right
  command?: CommandWords
  apart?: string
}

/** An operation that changes nothing. */
export const look =
  <Given>() =>
  <const R extends Route, Read = undefined, Sent = Read>(
    route: R,
    { right = 'member', input, says, command, apart }: Words & { input?: Reader<Read, Sent> },
  ): Operation<R, Read, Sent, Given> => ({
    route,
    right,
    input,
    says,
    status: 200,
    change: undefined,
    command,
    ...(apart !== undefined && { apart }),
  })

/** An operation that changes something. */
export const change =
  <Given>() =>
  <const R extends Route, Read = undefined, Sent = Read>(
    route: R,
    {
      right = 'admin',
      input,
      maxBytes,
      says,
      command,
      apart,
      makes = false,
      audit,
      pages,
      again,
    }: Words & Change & { input?: Reader<Read, Sent>; maxBytes?: number; makes?: boolean },
  ): Operation<R, Read, Sent, Given> => ({
    route,
    right,
    input,
    ...(maxBytes !== undefined && { maxBytes }),
    says,
    status: makes ? 201 : 200,
    change: { audit, pages, again },
    command,
    ...(apart !== undefined && { apart }),
  })

export type SentOf<O> = O extends Operation<infer _R, infer _I, infer Sent, infer _G> ? Sent : never
export type GivenOf<O> = O extends Operation<infer _R, infer _I, infer _S, infer Given> ? Given : never
export type RouteOf<O> = O extends Operation<infer R, infer _I, infer _S, infer _G> ? R : never

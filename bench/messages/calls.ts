/** Requests of the admin of a service that is being measured, each from another network address. */
import { signIn } from '../common/sign-in.ts'
import type { Scene } from './seed.ts'

export type Caller = (path: string, body: object) => Promise<void>

/** Signs the admin in, and returns a function that sends requests to the paths below `/api/web/`. */
export async function caller({ service: { url }, person }: Pick<Scene, 'service' | 'person'>): Promise<Caller> {
  const cookie = await signIn({ url }, person)
  let requests = 0
  return async (path, body) => {
    requests++
    const address = `203.0.${Math.floor(requests / 250)}.${requests % 250}`
    const isPublic = path === 'forgot'
    const answer = await fetch(`${url}/api/web/${path}`, {
      method: 'POST',
      headers: {
        origin: url,
        'content-type': 'application/json',
        'x-forwarded-for': address,
        ...(!isPublic && { cookie }),
      },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

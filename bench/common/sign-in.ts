import { password, type Service } from './service.ts'

/** Signs a person in with the password of all people of a measurement, and returns the cookie of the session. */
export async function signIn({ url }: Pick<Service, 'url'>, email: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (!answer.ok || cookie === undefined) throw new Error(`Signing in answered ${answer.status}.`)
  return cookie
}

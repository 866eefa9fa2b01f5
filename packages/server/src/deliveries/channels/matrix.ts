import { addressBelow, jsonCall, type MakeRequest, plainMessage, requireValue } from './call.ts'

const max = 30_000

/**
 * Makes a request for Matrix. The id of the delivery is also the transaction id, so a message that is sent twice is
 * shown once.
 */
export const matrix: MakeRequest = ({ url, to, secret }, { id, text }) => {
  const room = encodeURIComponent(requireValue(to, 'room'))
  const path = `_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(id)}`
  const body = { msgtype: 'm.text', body: plainMessage(text, max), 'm.mentions': {} }
  const headers = { authorization: `Bearer ${requireValue(secret, 'token')}` }
  return { ...jsonCall(addressBelow(requireValue(url, 'server'), path), body, headers), method: 'PUT' }
}

import { Text, Tone } from '../../ui/index.ts'

/** The receiver's answer to a test message that a channel sent. */
export const TestResult = ({ ok, message }: { ok: boolean; message: string }) => (
  <p className="al-note">
    <Tone tone={ok ? 'good' : 'no'}>{ok ? 'Test taken' : 'Test not taken'}</Tone> <Text>{message}</Text>
  </p>
)

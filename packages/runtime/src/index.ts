/** The exports of the runtime for tests and the demo. Nothing else imports this file. */

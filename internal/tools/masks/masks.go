// Package masks has texts for tests: those that a response may have in place of a secret, and those that look similar.
package masks

// Everywhere are masks of whole secrets that are recognized in each text: those of MongoDB's documentation, those
// that were reported, and those of other products.
var Everywhere = []string{
	"<redacted>",
	"<REDACTED>",
	"<Redacted>",
	" <redacted> ",
	"\t<redacted>\n",
	"< redacted >",
	"{redacted}",
	"(redacted)",
	"%3Credacted%3E",
	"%5BREDACTED%5D",
	"REDACTED", "[REDACTED]", "[redacted]", "**REDACTED**", "***REDACTED***", "*redacted*", " REDACTED",
	"***",
	"********",
	"****************",
	" *** ",
	"•••",
	"••••••••",
	"●●●●",
	"∙∙∙∙",
	"····",
	"∗∗∗∗",
	"⁎⁎⁎",
	"███",
	"■■■■",
	"%2A%2A%2A%2A",
	"<hidden>",
	"(hidden)",
	"[hidden]",
	"<Hidden>",
	"{hidden}",
	"[PROTECTED]",
	"<protected>",
	"(protected)",
	"<masked>",
	"[masked]",
	"(masked)",
	"*masked*",
	" (hidden) ",
	"-----BEGIN CERTIFICATE-----\nREDACTED\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nhidden\n-----END CERTIFICATE-----\n",
	"-----BEGIN CERTIFICATE-----\nxxxx\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
	"-----BEGIN RSA PRIVATE KEY-----\n****\n-----END RSA PRIVATE KEY-----",
}

// OfParts are masks of a part, which are recognized in each text.
var OfParts = []string{
	"AKIA****WXYZ", "abc***", "***xyz", "****************1234", "1234abcd-****", "AKIA••••WXYZ", "a***@example.com", "***-***-0100",
	"mongodb://REDACTED:REDACTED@db", "mongodb://REDACTED@db/?tls=true", "mongodb://u:<redacted>@db1", "mongodb://u:<REDACTED>@db1,db2/?tls=true", "mongodb://u:*****@db1", "mongodb://***.example.com",
	"mongodb://u:redacted@db1",
	"mongodb://redacted:redacted@db1",
	"mongodb://u:(hidden)@db1",
	"mongodb://hidden@db1",
	"mongodb+srv://u:Masked@db1",
	"https://u:xxxxx@s3.example.com",
	"https://xxxxx:xxxxx@s3.example.com",
	"mongodb://db1/?password=<REDACTED>&tls=true", "https://h.example.com/?sig=%3Credacted%3E", "https://h.example.com/?sig=[REDACTED]#x", "https://h.example.com/?sig=abc***",
}

// OfSecrets are masks of whole secrets only if the text is known to be a secret.
var OfSecrets = []string{
	"xxxx", "xxxxxxxx", "XXXXXXXX", "hidden", "HIDDEN", "Hidden", " hidden ", "masked", "protected", "redacted", "Redacted",
	"<secret>", "[FILTERED]", "(sensitive value)", "<not shown>", "-----", "...", "…", "•", "# #",
}

// OfPartsOfSecrets are masks of a part only if the text is known to be a secret.
var OfPartsOfSecrets = []string{"xxxxxxxx1234", "AKIAxxxx", "abc<hidden>", "[protected]xyz", "AKIA…WXYZ", "AKIA...WXYZ"}

// Doubtful may be masks of forms that no one has seen yet.
var Doubtful = []string{"hidden-1", "is masked: 7", "protected by vault", "redacted-5f2a", "abc hidden"}

// Names are texts that are no masks if they are known to be no secrets.
var Names = []string{
	"x",
	"xxx",
	"xxxx",
	"a*b**c",
	"**",
	"*",
	"-",
	"/",
	"hidden",
	"masked",
	"redacted",
	"not hidden",
	"protected-backups",
	"mongo-hidden-1.example.com",
	"redacted.example.com",
	"hidden:27017",
	"https://hidden.example.com:8443",
	"mongodb://hidden:27017",
	"/etc/hidden/key",
	"/data/masked/db/",
	"/hidden/",
	"redacted:redacted@db1",
	"https://h/redacted:redacted@db1",
	"AKIAIOSFODNN7EXAMPLE", "Standby (not hidden)", "a.b...c", "region <east>", "-----BEGIN", "50%",
}

// Secrets are secrets that are no masks.
var Secrets = []string{"c0rrect horse", "x", "xxx", "ab**c", "ab-xxxx-cd", "-a-", "mongodb://u:p@db1", "mongodb://hide:p@db1/?tls=true", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "a(b)c", "100%"}

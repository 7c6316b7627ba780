package opsmanager

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// normalizeIntegers rewrites the whole numbers of a valid JSON document, such as 6.0 and
// 6e0, as integers, because encoding/json decodes only those into an int64. Other
// numbers and strings are kept.
func normalizeIntegers(document []byte) []byte {
	rewritten := make([]byte, 0, len(document))
	for len(document) > 0 {
		n := 1
		switch c := document[0]; {
		case c == '"':
			for document[n] != '"' {
				if document[n] == '\\' {
					n++
				}
				n++
			}
			n++
		case c == '-' || '0' <= c && c <= '9':
			if n = bytes.IndexFunc(document, endsNumber); n < 0 {
				n = len(document)
			}
			rewritten, document = append(rewritten, toInteger(string(document[:n]))...), document[n:]
			continue
		}
		rewritten, document = append(rewritten, document[:n]...), document[n:]
	}
	return rewritten
}

func endsNumber(r rune) bool { return !strings.ContainsRune("+-.0123456789Ee", r) }

// toInteger returns a number as an integer if it is whole and fits into an int64.
func toInteger(number string) string {
	const longest = 40 // more than an int64 needs, and fast to compute with
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if power, err := strconv.Atoi(exponent); exponent != "" && (err != nil || max(power, -power) > longest) || len(number) > longest {
		return number
	}
	if value, ok := new(big.Rat).SetString(number); ok && value.IsInt() && value.Num().IsInt64() {
		return value.Num().String()
	}
	return number
}

package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forHosts returns a handler that serves only requests for an IP address, for localhost,
// or for one of the names. Otherwise, a web page could call the emulator with its built-in
// key, after the name of the page has changed to the address of this machine.
func forHosts(names []string, logger *log.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := hostname(r.Host)
		_, err := netip.ParseAddr(name)
		if err != nil && name != "localhost" && !slices.Contains(names, name) {
			logger.Printf("%s %s %d: for another host, %q", r.Method, r.URL.EscapedPath(), http.StatusMisdirectedRequest, r.Host)
			http.Error(w, fmt.Sprintf("The emulator answers for IP addresses, localhost and the names in its flag -host, and not for %q.", name), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the name or the IP address in a host, which may have a port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
